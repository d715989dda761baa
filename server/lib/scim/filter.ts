// Filters of SCIM (RFC 7644, section 3.4.2.2): `userName eq "kim@example.com" and emails[type eq "work"]`.
import { badScim } from './fault.ts';
import { type Path, readPath, valuesAt } from './paths.ts';

type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
type Literal = string | number | boolean | null;

export type Filter =
  | { is: 'and' | 'or'; parts: Filter[] }
  | { is: 'not'; part: Filter }
  | { is: 'present'; path: Path }
  | { is: 'compare'; path: Path; how: Comparison; value: Literal }
  | { is: 'some'; path: Path; part: Filter };

const maxLength = 4000;
const maxDepth = 20;
const comparisons: readonly string[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'];
const words = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y;

export function parseFilter(text: string): Filter {
  const reader = createReader(text);
  const filter = readOr(reader, 0);
  if (reader.peek() !== null) throw wrong(`"${reader.peek()}" is not expected`);
  return filter;
}

function wrong(what: string) {
  return badScim('invalidFilter', `The filter can’t be read: ${what}.`);
}

interface Reader {
  peek(): string | null;
  next(): string;
}

function createReader(text: string): Reader {
  if (text.length > maxLength) throw wrong('it is too long');
  const tokens: string[] = [];
  words.lastIndex = 0;
  const end = text.trimEnd().length;
  while (words.lastIndex < end) {
    const found = words.exec(text);
    if (found === null) throw wrong('a quote is missing');
    tokens.push(found[1] ?? found[2] ?? found[3]!);
  }
  let at = 0;
  return {
    peek: () => tokens[at] ?? null,
    next: () => {
      const token = tokens[at++];
      if (token === undefined) throw wrong('it ends too early');
      return token;
    },
  };
}

const isWord = (token: string | null, word: string) => token?.toLowerCase() === word;

function readOr(reader: Reader, depth: number): Filter {
  return readChain(reader, 'or', () => readChain(reader, 'and', () => readOne(reader, depth)));
}

function readChain(reader: Reader, is: 'and' | 'or', readPart: () => Filter): Filter {
  const parts = [readPart()];
  while (isWord(reader.peek(), is)) {
    reader.next();
    parts.push(readPart());
  }
  return parts.length === 1 ? parts[0]! : { is, parts };
}

function readInside(reader: Reader, closing: string, depth: number): Filter {
  if (depth >= maxDepth) throw wrong('it is nested too deeply');
  const filter = readOr(reader, depth + 1);
  if (reader.next() !== closing) throw wrong(`"${closing}" is missing`);
  return filter;
}

function readOne(reader: Reader, depth: number): Filter {
  const token = reader.next();
  if (token === '(') return readInside(reader, ')', depth);
  if (isWord(token, 'not') && reader.peek() === '(') {
    reader.next();
    return { is: 'not', part: readInside(reader, ')', depth) };
  }
  const path = readPath(token);
  if (path === null) throw wrong(`"${token}" is no attribute`);
  if (reader.peek() === '[') return readValuePath(reader, path, depth);
  return readComparison(reader, path);
}

/** `emails[type eq "work"]`, also followed by `.value eq "…"`. */
function readValuePath(reader: Reader, path: Path, depth: number): Filter {
  reader.next();
  const part = readInside(reader, ']', depth);
  const rest = reader.peek();
  if (rest?.startsWith('.') !== true) return { is: 'some', path, part };
  reader.next();
  const sub = readPath(rest.slice(1));
  if (sub === null) throw wrong(`"${rest}" is no attribute`);
  return { is: 'some', path, part: { is: 'and', parts: [part, readComparison(reader, sub)] } };
}

function readComparison(reader: Reader, path: Path): Filter {
  const how = reader.next().toLowerCase();
  if (how === 'pr') return { is: 'present', path };
  if (!comparisons.includes(how)) throw wrong(`"${how}" is no comparison`);
  return { is: 'compare', path, how: how as Comparison, value: readLiteral(reader.next()) };
}

function readLiteral(token: string): Literal {
  try {
    const value: unknown = JSON.parse(/^(true|false|null)$/i.test(token) ? token.toLowerCase() : token);
    if (typeof value !== 'object' || value === null) return value as Literal;
  } catch {
    // Not JSON.
  }
  throw wrong(`${token} is no value; texts need quotes`);
}

export function matches(filter: Filter, resource: unknown): boolean {
  switch (filter.is) {
    case 'and':
      return filter.parts.every((part) => matches(part, resource));
    case 'or':
      return filter.parts.some((part) => matches(part, resource));
    case 'not':
      return !matches(filter.part, resource);
    case 'present':
      return valuesAt(resource, filter.path).some((value) => value !== null && value !== '');
    case 'some':
      return valuesAt(resource, filter.path).some((value) => matches(filter.part, value));
    case 'compare':
      return compares(filter, resource);
  }
}

/** These are compared with case. */
const exact = new Set(['id', 'externalid', 'value', '$ref']);

function compares({ path, how, value }: Extract<Filter, { is: 'compare' }>, resource: unknown): boolean {
  const isExact = exact.has(path.at(-1)!.toLowerCase()) && path.length === 1;
  const values = valuesAt(resource, path).map(simple);
  if (how === 'ne') return values.every((one) => !compare(one, 'eq', value, isExact));
  if (value === null) return how === 'eq' && values.every((one) => one === null);
  return values.some((one) => compare(one, how, value, isExact));
}

/** A complex value stands for its `value`. */
function simple(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
}

function compare(have: unknown, how: Comparison, want: Literal, isExact: boolean): boolean {
  if (typeof have === 'boolean') return how === 'eq' && String(have) === String(want).toLowerCase();
  if (typeof have === 'number' && typeof want === 'number') return order(have - want, how);
  if (typeof have !== 'string' || typeof want !== 'string') return false;
  const [a, b] = isExact ? [have, want] : [have.toLowerCase(), want.toLowerCase()];
  if (how === 'co') return a.includes(b);
  if (how === 'sw') return a.startsWith(b);
  if (how === 'ew') return a.endsWith(b);
  return order(a < b ? -1 : a > b ? 1 : 0, how);
}

function order(difference: number, how: Comparison): boolean {
  if (how === 'eq') return difference === 0;
  if (how === 'gt') return difference > 0;
  if (how === 'ge') return difference >= 0;
  if (how === 'lt') return difference < 0;
  return how === 'le' && difference <= 0;
}

/** The value that an attribute must equal; undefined if the filter does not demand one. */
export function demanded(filter: Filter, attribute: string): string | undefined {
  if (filter.is === 'and')
    return filter.parts.map((part) => demanded(part, attribute)).find((one) => one !== undefined);
  const isIt = filter.is === 'compare' && filter.how === 'eq' && filter.path.length === 1;
  if (!isIt || filter.path[0]!.toLowerCase() !== attribute.toLowerCase()) return undefined;
  return typeof filter.value === 'string' ? filter.value : undefined;
}
