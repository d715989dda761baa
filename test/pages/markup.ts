// Parses our renderer's markup into a flat list of elements and texts. Throws on anything else, such as an unquoted
// attribute.

export interface Element {
  name: string;
  attributes: Record<string, string>;
}

export interface Markup {
  elements: Element[];
  /** All text in order, entities resolved. */
  text: string;
}

const token = /<!doctype html>|<\/([a-z][a-z0-9]*)>|<([a-z][a-z0-9]*)((?: [a-zA-Z-]+="[^"<>]*")*)\/?>|([^<>]+)/gy;

export function readMarkup(html: string): Markup {
  const elements: Element[] = [];
  let text = '';
  token.lastIndex = 0;
  while (token.lastIndex < html.length) {
    const at = token.lastIndex;
    const found = token.exec(html);
    if (!found) throw new SyntaxError(`markup we would not write: ${html.slice(at, at + 80)}`);
    const [, , name, attributes, characters] = found;
    if (name !== undefined) elements.push({ name, attributes: readAttributes(attributes ?? '') });
    if (characters !== undefined) text += unescaped(characters);
  }
  return { elements, text };
}

/** Elements with a name and, if given, an attribute. */
export function select(markup: Markup, name: string, attribute?: string): Element[] {
  return markup.elements.filter(
    (element) => element.name === name && (attribute === undefined || attribute in element.attributes),
  );
}

function readAttributes(source: string): Record<string, string> {
  const pairs = [...source.matchAll(/ ([a-zA-Z-]+)="([^"]*)"/g)];
  return Object.fromEntries(pairs.map(([, name, value]) => [(name ?? '').toLowerCase(), unescaped(value ?? '')]));
}

function unescaped(value: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };
  return value.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => entities[name] ?? '');
}
