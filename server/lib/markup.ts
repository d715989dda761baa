// HTML templates that escape every value, except markup from the same template tag.

export interface Markup {
  readonly html: string;
}

type Value = string | Markup | Markup[];

/** Lists are concatenated. */
export function markup(pieces: TemplateStringsArray, ...values: Value[]): Markup {
  let html = pieces[0]!;
  for (let index = 0; index < values.length; index++) html += htmlOf(values[index]!) + pieces[index + 1]!;
  return trusted(html);
}

/** Marks HTML that is already safe. */
export function trusted(html: string): Markup {
  return { html };
}

export const nothing = trusted('');

export function markupLines(text: string): Markup {
  return trusted(text.split('\n').map(escapeHtml).join('<br>'));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character]!);
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };

function htmlOf(value: Value): string {
  if (typeof value === 'string') return escapeHtml(value);
  return Array.isArray(value) ? value.map(({ html }) => html).join('') : value.html;
}
