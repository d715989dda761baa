// Reads XML of identity providers: no document types or entities, and every element by namespace.
export const names = {
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
} as const;

/** A step that failed, with words for the operator. */
export class SamlFailure extends Error {
  readonly step: 'metadata' | 'refused' | 'answer' | 'signature' | 'not_requested';
  constructor(step: SamlFailure['step'], words: string) {
    super(words.slice(0, 500));
    this.name = 'SamlFailure';
    this.step = step;
  }
}

/** Throws an Error with words. The library is loaded at the first use. */
export async function parseXml(text: string): Promise<Element> {
  // Declarations can change what a signature covers, and grow without limit.
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw new Error('the document has a document type');
  const { DOMParser } = await import('@xmldom/xmldom');
  const fail = (words: string) => {
    throw new Error(`the document is not XML: ${words.split('\n')[0]}`);
  };
  const parser = new DOMParser({ errorHandler: { warning: fail, error: fail, fatalError: fail } });
  const root = parser.parseFromString(text, 'text/xml')?.documentElement as Element | undefined;
  if (root === undefined || root === null) throw new Error('the document is not XML');
  return root;
}

/** Direct children. */
export function childrenOf(parent: Element, namespace: string, name: string): Element[] {
  const found: Element[] = [];
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    const { localName, namespaceURI } = node as Element;
    if (node.nodeType === 1 && localName === name && namespaceURI === namespace) found.push(node as Element);
  }
  return found;
}

/** Also those with another prefix or namespace. */
export function countAnywhere(root: Element, name: string): number {
  return elementsAnywhere(root).filter(({ localName }) => localName === name).length;
}

export function elementsAnywhere(root: Element): Element[] {
  return [root, ...Array.from(root.getElementsByTagName('*'))];
}

/** Without comments, which must not split a value. */
export function textIn(element: Element | undefined): string {
  return (element?.textContent ?? '').trim();
}

/** Empty if it is absent. */
export function attribute(element: Element, name: string): string {
  return element.getAttribute(name) ?? '';
}

/** NaN for a text that is no time. */
export function instantIn(element: Element, name: string): number | null {
  const value = attribute(element, name);
  return value === '' ? null : Date.parse(value);
}

export function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
