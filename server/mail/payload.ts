// The door every payload passes: strings from people are made visible by the name of their field, links are checked.
// After it no string holds a control character, so none can break a header, a template or a layout.
import { visibleLine, visibleText } from './visible.ts';

/** Fields that hold several lines of a person's text. */
const longFields = new Set(['body', 'bodyHtml', 'note']);

/** A copy of the payload that is safe to compose. Throws a TypeError for an invalid link, which is a bug. */
export function cleanPayload<T>(payload: T): T {
  return clean(payload, '') as T;
}

/** Absolute, http or https, and nothing in it that could end an attribute or a header. */
export function checkedUrl(url: string): string {
  if (!/^https?:\/\/[^\s"'<>\\^`{|}\u0000-\u0020\u007f-\uffff]+$/.test(url) || !URL.canParse(url)) {
    throw new TypeError('a link in a mail must be an absolute http or https address');
  }
  return url;
}

function clean(value: unknown, field: string): unknown {
  if (typeof value === 'string') return cleanString(value, field);
  if (Array.isArray(value)) return value.map((item) => clean(item, field));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, clean(inner, name)]));
}

function cleanString(value: string, field: string): string {
  if (/^url$|Url$/.test(field)) return checkedUrl(value);
  return longFields.has(field) ? visibleText(value) : visibleLine(value);
}
