// Cleans an SVG picture that somebody uploaded: reads it by a strict parser of its own, keeps drawing elements and their
// attributes, and writes it anew. What could act or reach out is refused, what only describes is left out. Nothing of
// the input gets through unread.

export interface CleanSvg {
  text: string;
  width: number;
  height: number;
}

/** Says in words why a picture is not taken. */
export class SvgProblem extends Error {}

/** Elements that draw, or are used by those that draw. Everything else is dropped with what is in it. */
const drawing = new Set(
  `svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textPath linearGradient
  radialGradient stop clipPath mask pattern filter feBlend feColorMatrix feComponentTransfer feComposite feFlood
  feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset feDropShadow style`.split(
    /\s+/,
  ),
);
const acting = new Set([
  'script',
  'foreignobject',
  'iframe',
  'object',
  'embed',
  'audio',
  'video',
  'handler',
  'listener',
]);
const picturing = new Set(['image', 'feimage']);

const maxElements = 5000;
const maxDepth = 50;

interface Element {
  name: string;
  attributes: Map<string, string>;
  children: (Element | string)[];
}

export function cleanSvg(text: string): CleanSvg {
  const root = parse(text.replace(/^\uFEFF/, ''));
  if (root.name !== 'svg') throw new SvgProblem('This is not an SVG picture.');
  const { width, height } = sizeOf(root);
  root.attributes.set('xmlns', 'http://www.w3.org/2000/svg');
  root.attributes.set('viewBox', root.attributes.get('viewBox') ?? `0 0 ${width} ${height}`);
  return { text: write(root), width, height };
}

function sizeOf(root: Element): { width: number; height: number } {
  const box = (root.attributes.get('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const length = (name: string) =>
    Number(/^\s*([\d.]+)(px)?\s*$/.exec(root.attributes.get(name) ?? '')?.[1] ?? Number.NaN);
  const isBox = box.length === 4 && box.every(Number.isFinite);
  const [width, height] = isBox ? [box[2]!, box[3]!] : [length('width'), length('height')];
  if (!(width! > 0 && height! > 0 && width! < 1e5 && height! < 1e5)) {
    throw new SvgProblem('This SVG picture does not say its size: it needs a viewBox, or width and height.');
  }
  return { width: width!, height: height! };
}

const token =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(!)|<\/([^\s>]+)\s*>|<([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/gy;
const attributeToken = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function parse(text: string): Element {
  const top: Element = { name: '', attributes: new Map(), children: [] };
  const open: { element: Element; name: string; isKept: boolean }[] = [{ element: top, name: '', isKept: true }];
  let count = 0;
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null) throw malformed();
    const [, data, declaration, closing, opening, attributes, isEmpty, words] = match;
    const inside = open.at(-1)!;
    if (declaration !== undefined) skipDoctype(text);
    else if (closing !== undefined) {
      if (open.length < 2 || inside.name !== closing) throw malformed();
      // Together: a comment in the middle of a word would hide it.
      if (inside.element.name === 'style') cleanStyle(inside.element.children.filter(isText).join(''));
      open.pop();
    } else if (opening !== undefined) {
      count += 1;
      if (count > maxElements || open.length > maxDepth) throw new SvgProblem('This SVG picture is too complicated.');
      const name = opening.replace(/^svg:/, '');
      demandInert(name);
      const element = { name, attributes: cleanAttributes(attributes ?? ''), children: [] };
      const isKept = inside.isKept && drawing.has(name);
      if (isKept) inside.element.children.push(element);
      if (isEmpty === '') open.push({ element, name: opening, isKept });
    } else if (inside.isKept && inside.element !== top) {
      const kept = data ?? decode(words ?? '');
      if (kept !== '') inside.element.children.push(kept);
    }
  }
  const roots = top.children.filter((child) => typeof child !== 'string');
  if (open.length !== 1 || roots.length !== 1) throw malformed();
  return roots[0]!;
}

function isText(child: Element | string): child is string {
  return typeof child === 'string';
}

function demandInert(name: string): void {
  const local = name.slice(name.indexOf(':') + 1).toLowerCase();
  if (acting.has(local)) throw new SvgProblem(`This SVG picture contains <${local}>. Save it as plain SVG, or as PNG.`);
  if (picturing.has(local)) {
    throw new SvgProblem('This SVG picture has another picture inside. Save it as PNG instead.');
  }
}

/** A document type without declarations of its own is harmless and left out; entities are not. */
function skipDoctype(text: string): void {
  const match = /<!DOCTYPE\s[^[\]<>]*>/iy;
  match.lastIndex = token.lastIndex - 2;
  if (match.exec(text) === null) throw new SvgProblem('This SVG picture declares entities. Save it as plain SVG.');
  token.lastIndex = match.lastIndex;
}

function cleanAttributes(text: string): Map<string, string> {
  const kept = new Map<string, string>();
  for (const [, name, double, single] of text.matchAll(attributeToken)) {
    const value = decode(double ?? single ?? '');
    if (/^on/i.test(name!)) throw new SvgProblem(`This SVG picture contains a script (${name!.slice(0, 40)}).`);
    if (name === 'href' || name === 'xlink:href') {
      if (!/^#[\w.-]+$/.test(value)) throw outside();
      kept.set('href', value);
      continue;
    }
    // Notes of drawing programs, and namespaces nothing here uses.
    if (name!.includes(':') || name === 'xmlns' || name === 'data-name') continue;
    kept.set(name!, cleanStyle(value));
  }
  return kept;
}

/** Values and rules may point at parts of the same picture only. */
function cleanStyle(value: string): string {
  const isOutside = [...value.matchAll(/url\(([^)]*)\)?/gi)].some(
    ([, target]) => !/^\s*["']?#[\w.-]+["']?\s*$/.test(target!),
  );
  if (isOutside || /@import|@font-face|@namespace|image-set|expression\(|-moz-binding|\\|javascript:/i.test(value)) {
    throw outside();
  }
  return value;
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replace(/&([^;\s]{0,12});?/g, (_, name: string) => {
    const number = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name);
    const code =
      number === null ? Number.NaN : Number.parseInt(number[1] ?? number[2]!, number[1] === undefined ? 10 : 16);
    const found = Object.hasOwn(entities, name)
      ? entities[name]
      : code > 31 && code < 0xd800
        ? String.fromCodePoint(code)
        : null;
    if (found === null || found === undefined) throw malformed();
    return found;
  });
}

function write({ name, attributes, children }: Element): string {
  const inside = children.map((child) => (isText(child) ? escapeText(child) : write(child))).join('');
  const pairs = [...attributes].map(([key, value]) => ` ${key}="${escapeText(value)}"`).join('');
  return inside === '' ? `<${name}${pairs}/>` : `<${name}${pairs}>${inside}</${name}>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function malformed(): SvgProblem {
  return new SvgProblem('This SVG picture cannot be read: it is not well-formed XML.');
}

function outside(): SvgProblem {
  return new SvgProblem('This SVG picture refers to something outside of itself. Save it as plain SVG, or as PNG.');
}
