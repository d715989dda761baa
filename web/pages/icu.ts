// Filling in messages in ICU syntax: `{name}` and `{n, plural, =0 {…} one {…} other {# …}}`. Used on the server and by
// scripts; knows no catalogue and never makes markup.

type Piece = string | { value: string } | { number: true } | { plural: string; forms: Record<string, Piece[]> };

export interface Filling<T> {
  locale: string;
  /** Only for complaints. */
  key: string;
  values: Record<string, string | number | T>;
}

/** The message in pieces, in reading order. Throws for a message that is not in the syntax, or a missing value. */
export function fillMessage<T>(source: string, filling: Filling<T>): (string | T)[] {
  return fill(parsed(source), filling, null);
}

function fill<T>(pieces: Piece[], filling: Filling<T>, count: number | null): (string | T)[] {
  return pieces.flatMap((piece): (string | T)[] => {
    if (typeof piece === 'string') return [piece];
    if ('number' in piece) return [new Intl.NumberFormat(filling.locale).format(count ?? 0)];
    if ('value' in piece) {
      const value = valueFor(filling, piece.value);
      return [typeof value === 'number' ? new Intl.NumberFormat(filling.locale).format(value) : value];
    }
    const number = valueFor(filling, piece.plural);
    if (typeof number !== 'number') throw new TypeError(`text ${filling.key}: ${piece.plural} must be a number`);
    const form = piece.forms[`=${number}`] ?? piece.forms[new Intl.PluralRules(filling.locale).select(number)];
    return fill(form ?? piece.forms.other ?? [], filling, number);
  });
}

function valueFor<T>(filling: Filling<T>, name: string): string | number | T {
  const value = filling.values[name];
  if (value === undefined) throw new TypeError(`text ${filling.key}: no value for ${name}`);
  return value;
}

const cache = new Map<string, Piece[]>();

function parsed(source: string): Piece[] {
  const known = cache.get(source);
  if (known) return known;
  const [pieces, end] = parsePieces(source, 0, false);
  if (end !== source.length) throw new SyntaxError(`message has a stray brace at ${end}: ${source}`);
  cache.set(source, pieces);
  return pieces;
}

/** Reads up to the brace that closes the enclosing form, or to the end; returns where it stopped. */
function parsePieces(source: string, start: number, inPlural: boolean): [Piece[], number] {
  const pieces: Piece[] = [];
  let at = start;
  let literal = '';
  const flush = () => {
    if (literal !== '') pieces.push(literal);
    literal = '';
  };
  while (at < source.length && source[at] !== '}') {
    if (source[at] === '{') {
      flush();
      const [piece, next] = parseArgument(source, at + 1);
      pieces.push(piece);
      at = next;
    } else if (source[at] === '#' && inPlural) {
      flush();
      pieces.push({ number: true });
      at += 1;
    } else {
      literal += source[at];
      at += 1;
    }
  }
  flush();
  return [pieces, at];
}

function parseArgument(source: string, start: number): [Piece, number] {
  const head = /\s*(\w+)\s*(?:(\})|,\s*plural\s*,)/y;
  head.lastIndex = start;
  const found = head.exec(source);
  if (!found) throw new SyntaxError(`message has an unknown argument at ${start}: ${source}`);
  const name = found[1] ?? '';
  if (found[2] === '}') return [{ value: name }, head.lastIndex];
  const forms: Record<string, Piece[]> = {};
  let at = head.lastIndex;
  const selector = /\s*(=\d+|zero|one|two|few|many|other)\s*\{/y;
  const close = /\s*\}/y;
  for (;;) {
    close.lastIndex = at;
    if (close.test(source)) break;
    selector.lastIndex = at;
    const form = selector.exec(source);
    if (!form) throw new SyntaxError(`message has an unknown plural form at ${at}: ${source}`);
    const [pieces, end] = parsePieces(source, selector.lastIndex, true);
    forms[form[1] ?? ''] = pieces;
    at = end + 1;
  }
  if (!forms.other) throw new SyntaxError(`message has a plural without other: ${source}`);
  return [{ plural: name, forms }, close.lastIndex];
}
