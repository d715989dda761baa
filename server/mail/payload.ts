// Cleans every payload, so that no control character reaches a header, a template or a layout.
import { visibleLine, visibleText } from './visible.ts';

/** Fields with several lines. */
const longFields = new Set(['body', 'bodyHtml', 'note']);

/** Throws a TypeError for an invalid link, which is a bug. */
export function cleanPayload<T>(payload: T): T {
  return clean(payload, '') as T;
}

/** Absolute http or https, without characters that could end an attribute or a header. */
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
