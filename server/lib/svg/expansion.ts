// Counts the elements a picture draws after expanding references, without expanding them: a few nested uses can mean
// billions.
import type { XmlElement } from './xml.ts';

const maxElements = 10_000;
const maxLevels = 200;

/** The element must have one of these names, classes or ids. */
interface StyleReference {
  target: string;
  selectors: readonly string[];
}

interface Drawn {
  elements: number;
  levels: number;
}

class Refused extends Error {
  readonly why: 'too_complicated' | 'circular';
  constructor(why: Refused['why']) {
    super(why);
    this.why = why;
  }
}

/** Null if the picture is acceptable. Expects a cleaned picture. */
export function measureDrawing(root: XmlElement): Refused['why'] | null {
  const all = [...elementsIn(root)];
  const byId = new Map<string, XmlElement>();
  for (const element of all) {
    const id = element.attributes.get('id');
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
  }
  const sheet = all.filter(({ name }) => name === 'style').flatMap((style) => styleReferences(textOf(style)));
  const measured = new Map<XmlElement, Drawn | 'running'>();

  function measure(element: XmlElement, depth: number): Drawn {
    const known = measured.get(element);
    if (known === 'running') throw new Refused('circular');
    if (known !== undefined) return known;
    if (depth > maxLevels) throw new Refused('too_complicated');
    measured.set(element, 'running');
    const drawn = { elements: 1, levels: 1 };
    const add = (inner: Drawn, times = 1) => {
      drawn.elements += inner.elements * times;
      drawn.levels = Math.max(drawn.levels, inner.levels + 1);
    };
    for (const child of element.children) if (typeof child !== 'string') add(measure(child, depth + 1));
    const own = drawn.elements;
    for (const id of new Set(referencesOf(element, sheet))) {
      const target = byId.get(id);
      // A gradient draws nothing itself.
      if (target === undefined || /Gradient$/.test(target.name)) continue;
      // Everything inside the element inherits a fill.
      add(measure(target, depth + 1), target.name === 'pattern' ? own : 1);
    }
    if (!(drawn.elements <= maxElements && drawn.levels <= maxLevels)) throw new Refused('too_complicated');
    measured.set(element, drawn);
    return drawn;
  }

  try {
    measure(root, 1);
    return null;
  } catch (error) {
    if (error instanceof Refused) return error.why;
    throw error;
  }
}

function* elementsIn(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) if (typeof child !== 'string') yield* elementsIn(child);
}

function textOf({ children }: XmlElement): string {
  return children.filter((child) => typeof child === 'string').join('');
}

function targetsIn(value: string): string[] {
  return [...value.matchAll(/url\(\s*["']?#([\w.-]+)/gi)].map(([, id]) => id!);
}

function referencesOf({ name, attributes }: XmlElement, sheet: readonly StyleReference[]): string[] {
  const ids = [...attributes].flatMap(([key, value]) => (key === 'href' ? [value.slice(1)] : targetsIn(value)));
  if (sheet.length === 0) return ids;
  const classes = (attributes.get('class') ?? '').split(/\s+/).map((word) => `.${word}`);
  const names = new Set(['*', name, `#${attributes.get('id') ?? ''}`, ...classes]);
  return [
    ...ids,
    ...sheet.filter(({ selectors }) => selectors.some((one) => names.has(one))).map(({ target }) => target),
  ];
}

/** Rather counts too many: unknown selectors match all elements. */
function styleReferences(css: string): StyleReference[] {
  const text = css.replace(/\/\*.*?\*\//gs, ' ');
  const found: StyleReference[] = [];
  for (const [, before, body] of text.matchAll(/([^{}]*)(?:\{([^{}]*))?/g)) {
    const isPlain = body !== undefined && /^[\w.#*>+~,\s-]+$/.test(before!);
    const selectors = isPlain ? (before!.match(/[.#]?[\w-]+|\*/g) ?? ['*']) : ['*'];
    for (const target of targetsIn(body ?? '')) found.push({ target, selectors });
    for (const target of targetsIn(before!)) found.push({ target, selectors: ['*'] });
  }
  return found;
}
