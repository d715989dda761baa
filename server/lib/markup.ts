// HTML written in code: every value is escaped, except what was made here itself.

export interface Markup {
  readonly html: string;
}

type Value = string | Markup | Markup[];

/** Tag of a template: `markup\`<b>${name}</b>\``. Lists of markup are put one after the other. */
export function markup(pieces: TemplateStringsArray, ...values: Value[]): Markup {
  let html = pieces[0]!;
  for (let index = 0; index < values.length; index++) html += htmlOf(values[index]!) + pieces[index + 1]!;
  return trusted(html);
}

/** Markup that was made or cleaned elsewhere. */
export function trusted(html: string): Markup {
  return { html };
}

export const nothing = trusted('');

/** Lines of text with breaks between them. */
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
