// Comma-separated values (RFC 4180) that a spreadsheet program shows and never runs: a text that it would take for a
// formula gets an apostrophe in front.

/** What spreadsheet programs take for the beginning of a formula, also behind blanks. */
const formula = /^[\s\u200b\ufeff]*[=+\-@\t\r|%＝＋－＠]/u;

/** One line with its end. Numbers are written as they are, null as nothing. */
export function csvLine(values: readonly (string | number | boolean | null)[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

function field(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
