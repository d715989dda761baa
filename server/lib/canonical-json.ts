// One way to write a JSON value as text, independent of the order of its fields (RFC 8785): names sorted, no spaces. Two
// values that are equal have equal texts, so their hashes can be compared.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Fields that are undefined are left out, as `JSON.stringify` does. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields: { readonly [name: string]: unknown } = value as Record<string, unknown>;
  let text = '';
  // By UTF-16 code units, as the RFC asks and as sorting compares.
  for (const name of Object.keys(fields).sort()) {
    const field = fields[name];
    if (field === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}
