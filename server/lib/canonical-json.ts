// Canonical JSON (RFC 8785).

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Omits undefined fields, as `JSON.stringify` does. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields: { readonly [name: string]: unknown } = value as Record<string, unknown>;
  let text = '';
  // By UTF-16 code units, as the RFC demands.
  for (const name of Object.keys(fields).sort()) {
    const field = fields[name];
    if (field === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}
