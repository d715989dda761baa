// Fills in sentences that the server has parsed, so browsers need no message parser. Never creates markup.

/** Text, a value by its name, the number of the enclosing plural, or plural forms. */
export type Piece = string | [name: string] | 0 | [name: string, forms: Record<string, Piece[]>];

export type Values = Record<string, string | number>;

export function fill(pieces: Piece[], locale: string, values: Values, count = 0): string {
  return pieces.map((piece) => fillPiece(piece, locale, values, count)).join('');
}

function fillPiece(piece: Piece, locale: string, values: Values, count: number): string {
  if (typeof piece === 'string') return piece;
  if (piece === 0) return new Intl.NumberFormat(locale).format(count);
  const [name, forms] = piece;
  const value = values[name];
  if (value === undefined) throw new TypeError(`no value for ${name}`);
  if (!forms) return typeof value === 'number' ? new Intl.NumberFormat(locale).format(value) : value;
  const chosen = forms[`=${value}`] ?? forms[new Intl.PluralRules(locale).select(Number(value))];
  return fill(chosen ?? forms.other ?? [], locale, values, Number(value));
}
