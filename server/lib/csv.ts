// CSV (RFC 4180). Texts that a spreadsheet would run as a formula get an apostrophe in front.

/** The start of a formula, also after blanks. */
const formula = /^[\s\u200b\ufeff]*[=+\-@\t\r|%＝＋－＠]/u;

export function csvLine(values: readonly (string | number | boolean | null)[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

function field(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
