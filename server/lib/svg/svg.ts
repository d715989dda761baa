// Serializes an uploaded SVG anew with drawing elements only. Active content and external references are refused,
// metadata is dropped.
import { measureDrawing } from './expansion.ts';
import { parseXml, type XmlElement, type XmlFault, XmlProblem } from './xml.ts';

export interface CleanSvg {
  text: string;
  width: number;
  height: number;
}

export class SvgProblem extends Error {}

/** Everything else is dropped with its content. */
const drawing = new Set(
  `svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textPath linearGradient
  radialGradient stop clipPath mask pattern filter feBlend feColorMatrix feComponentTransfer feComposite feFlood
  feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset feDropShadow style`.split(
    /\s+/,
  ),
);
const acting = /^(script|foreignobject|iframe|object|embed|audio|video|handler|listener)$/;
const picturing = /^(image|feimage)$/;

export function cleanSvg(text: string): CleanSvg {
  const root = cleanElement(parse(text.replace(/^\uFEFF/, '')));
  if (root.name !== 'svg') throw new SvgProblem('This is not an SVG picture.');
  requireSmallDrawing(root);
  const { width, height } = sizeOf(root);
  root.attributes.set('xmlns', 'http://www.w3.org/2000/svg');
  root.attributes.set('viewBox', root.attributes.get('viewBox') ?? `0 0 ${width} ${height}`);
  return { text: write(root), width, height };
}

const xmlSentences: Record<XmlFault, string> = {
  malformed: 'This SVG picture cannot be read: it is not well-formed XML.',
  has_entities: 'This SVG picture declares entities. Save it as plain SVG.',
  too_complicated: 'This SVG picture is too complicated.',
};

function parse(text: string): XmlElement {
  try {
    return parseXml(text);
  } catch (error) {
    if (error instanceof XmlProblem) throw new SvgProblem(xmlSentences[error.fault]);
    throw error;
  }
}

/** Checks dropped elements too. */
function cleanElement(element: XmlElement): XmlElement {
  const name = element.name.replace(/^svg:/, '');
  assertInert(name);
  const children = element.children.map((child) => (isText(child) ? child : cleanElement(child)));
  // Joined: a comment in the middle of a word would hide it.
  if (name === 'style') assertInside(children.filter(isText).join(''));
  return {
    name,
    attributes: cleanAttributes(element.attributes),
    children: children.filter((child) => isText(child) || drawing.has(child.name)),
  };
}

function isText(child: XmlElement | string): child is string {
  return typeof child === 'string';
}

function assertInert(name: string): void {
  const local = name.slice(name.indexOf(':') + 1).toLowerCase();
  if (acting.test(local))
    throw new SvgProblem(`This SVG picture contains <${local}>. Save it as plain SVG, or as PNG.`);
  if (picturing.test(local))
    throw new SvgProblem('This SVG picture has another picture inside. Save it as PNG instead.');
}

function cleanAttributes(attributes: Map<string, string>): Map<string, string> {
  const kept = new Map<string, string>();
  for (const [name, value] of attributes) {
    if (/^on/i.test(name)) throw new SvgProblem(`This SVG picture contains a script (${name.slice(0, 40)}).`);
    if (name === 'href' || name === 'xlink:href') {
      if (!/^#[\w.-]+$/.test(value)) throw reachesOut();
      kept.set('href', value);
      continue;
    }
    // Metadata of drawing programs, and unused namespaces.
    if (name.includes(':') || name === 'xmlns' || name === 'data-name') continue;
    assertInside(value);
    kept.set(name, value);
  }
  return kept;
}

/** They may refer to the same picture only. */
function assertInside(value: string): void {
  const isOutside = [...value.matchAll(/url\(([^)]*)\)?/gi)].some(
    ([, target]) => !/^\s*["']?#[\w.-]+["']?\s*$/.test(target!),
  );
  if (isOutside || /@import|@font-face|@namespace|image-set|expression\(|-moz-binding|\\|javascript:/i.test(value))
    throw reachesOut();
}

function reachesOut(): SvgProblem {
  return new SvgProblem('This SVG picture refers to something outside of itself. Save it as plain SVG, or as PNG.');
}

function requireSmallDrawing(root: XmlElement): void {
  const found = measureDrawing(root);
  if (found === 'too_complicated') throw new SvgProblem(xmlSentences.too_complicated);
  if (found === 'circular')
    throw new SvgProblem(
      'A part of this SVG picture refers to the part that it is in. Save it as plain SVG, or as PNG.',
    );
}

function sizeOf(root: XmlElement): { width: number; height: number } {
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

function write({ name, attributes, children }: XmlElement): string {
  const inside = children.map((child) => (isText(child) ? escapeText(child) : write(child))).join('');
  const pairs = [...attributes].map(([key, value]) => ` ${key}="${escapeText(value)}"`).join('');
  return inside === '' ? `<${name}${pairs}/>` : `<${name}${pairs}>${inside}</${name}>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
