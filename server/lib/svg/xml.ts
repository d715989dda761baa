// Strict XML; the underlying library is lenient. Only the five predefined entities, bounded size and depth.
import { Parser } from 'htmlparser2';

export interface XmlElement {
  name: string;
  attributes: Map<string, string>;
  children: (XmlElement | string)[];
}

export type XmlFault = 'malformed' | 'has_entities' | 'too_complicated';

export class XmlProblem extends Error {
  fault: XmlFault;
  constructor(fault: XmlFault) {
    super(`the XML is refused: ${fault}`);
    this.fault = fault;
  }
}

const maxElements = 5000;
const maxDepth = 50;

/** Without comments and processing instructions. Throws an XmlProblem. */
export function parseXml(text: string): XmlElement {
  const top: XmlElement = { name: '', attributes: new Map(), children: [] };
  const open = [top];
  let attributes = new Map<string, string>();
  let elementCount = 0;
  let isData = false;
  let reportedTo = 0;

  /** What the parser skips is not well-formed. */
  function report(): void {
    if (parser.startIndex > reportedTo) throw new XmlProblem('malformed');
    reportedTo = Math.max(reportedTo, parser.endIndex + 1);
  }
  function addText(text: string): void {
    report();
    if (open.length > 1) open.at(-1)!.children.push(isData ? text : decodeEntities(text));
  }
  const handler: ConstructorParameters<typeof Parser>[0] = {
    onattribute(name, value, quote) {
      const isWellFormed = quote != null && !value.includes('<') && /^[\w:.-]+$/.test(name);
      if (!isWellFormed) throw new XmlProblem('malformed');
      attributes.set(name, decodeEntities(value));
    },
    onopentag(name) {
      report();
      elementCount += 1;
      if (elementCount > maxElements || open.length > maxDepth) throw new XmlProblem('too_complicated');
      const element = { name, attributes, children: [] };
      attributes = new Map();
      open.at(-1)!.children.push(element);
      open.push(element);
    },
    onclosetag(name) {
      const source = text.slice(parser.startIndex, parser.endIndex + 1);
      const isWritten = source.endsWith('/>') || source.replace(/\s*>$/, '') === `</${name}`;
      if (!isWritten) throw new XmlProblem('malformed');
      report();
      open.pop();
    },
    ontext: addText,
    oncdatastart() {
      isData = true;
    },
    oncdataend() {
      isData = false;
    },
    oncomment: report,
    onprocessinginstruction(name, data) {
      report();
      if (name.startsWith('!') && !/^!DOCTYPE\s[^[\]<>]*$/i.test(data)) throw new XmlProblem('has_entities');
    },
  };
  const parser = new Parser(handler, { xmlMode: true, decodeEntities: false });
  parser.end(text);
  const [root] = top.children;
  if (reportedTo !== text.length || top.children.length !== 1) throw new XmlProblem('malformed');
  return root as XmlElement;
}

const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));

function decodeEntities(text: string): string {
  return text.replace(/&([^;\s]{0,12});?/g, (_, name: string) => {
    const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name) ?? [];
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const character = code > 31 && code < 0xd800 ? String.fromCodePoint(code) : entities.get(name);
    if (character === undefined) throw new XmlProblem('malformed');
    return character;
  });
}
