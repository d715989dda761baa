// Search filters of LDAP (RFC 4515). Values from outside are always escaped.
import type { Filter } from 'ldapts';

const bytesAttributes = new Set(['objectguid', 'objectsid']);

/** For a search. The library would send bytes above 127 of a text as two bytes each. */
export async function parseFilter(text: string): Promise<Filter> {
  const { EqualityFilter, FilterParser } = await import('ldapts');
  const withBytes = (filter: Filter): Filter => {
    const { filters, filter: inner } = filter as { filters?: Filter[]; filter?: Filter };
    for (const one of filters ?? (inner === undefined ? [] : [inner])) withBytes(one);
    if (filter instanceof EqualityFilter && bytesAttributes.has(filter.attribute.toLowerCase()))
      filter.value = Buffer.from(String(filter.value), 'latin1');
    return filter;
  };
  return withBytes(FilterParser.parseString(text));
}

/** Makes a value that stands for itself, whatever it contains. */
export function escapeFilterValue(value: string): string {
  return value.replace(/[\\*()\0]/g, (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** For values of bytes, such as an objectGUID. */
export function bytesFilterValue(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
}

export function equals(attribute: string, value: string): string {
  return `(${attribute}=${escapeFilterValue(value)})`;
}

export function anyOf(filters: readonly string[]): string {
  return filters.length === 1 ? filters[0]! : `(|${filters.join('')})`;
}

export function allOf(...filters: string[]): string {
  return filters.length === 1 ? filters[0]! : `(&${filters.join('')})`;
}

/** Stands for what a person entered. */
export const loginPlaceholder = '{login}';

/** The filter for one person; without a placeholder the login attributes are added. */
export function loginFilter(filter: string, login: string, attributes: readonly string[]): string {
  if (filter.includes(loginPlaceholder)) return filter.replaceAll(loginPlaceholder, escapeFilterValue(login));
  return allOf(filter, anyOf(attributes.map((attribute) => equals(attribute, login))));
}

/** The filter for everyone: whoever has the attributes. */
export function everyoneFilter(filter: string): string {
  return filter.replaceAll(loginPlaceholder, '*');
}
