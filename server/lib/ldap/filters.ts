// Search filters of LDAP (RFC 4515). Values from outside are always escaped.

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
