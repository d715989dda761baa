// Fills in sentences that the server has parsed, so browsers need no message parser. Never creates markup.

/** Text, a value by its name, the number of the enclosing plural, or plural forms. */
export type MessagePart = string | [name: string] | 0 | [name: string, forms: Record<string, MessagePart[]>];

export type Values = Record<string, string | number>;

export function fill(parts: MessagePart[], locale: string, values: Values, count = 0): string {
  return parts.map((part) => fillPart(part, locale, values, count)).join('');
}

function fillPart(part: MessagePart, locale: string, values: Values, count: number): string {
  if (typeof part === 'string') return part;
  if (part === 0) return new Intl.NumberFormat(locale).format(count);
  const [name, forms] = part;
  const value = values[name];
  if (value === undefined) throw new TypeError(`no value for ${name}`);
  if (!forms) return typeof value === 'number' ? new Intl.NumberFormat(locale).format(value) : value;
  const chosen = forms[`=${value}`] ?? forms[new Intl.PluralRules(locale).select(Number(value))];
  return fill(chosen ?? forms.other ?? [], locale, values, Number(value));
}
