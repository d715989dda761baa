// Example bodies, derived from the schemas. A request shows what must be sent and what most clients send.

type Json = { [key: string]: unknown };

/** Optional fields that most clients send, with the values of a request. */
const sent: Json = {
  recipients: ['ben@example.com'],
  subject: 'Drawings',
  message: 'Here they are.',
  attachments: ['ATTACHMENT_ID'],
  attachment: 'ATTACHMENT_ID',
  recipient: 'ben@example.com',
  expires_at: '2026-12-31',
  send_email: true,
  reason: 'Asked for by the person',
};

/** Values by the name of the field. */
const texts: Record<string, string> = {
  address: 'ben@example.com',
  api_key: 'K4kq2mXw9tR7bPz1vLc8Ny',
  checksum: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  content_type: 'application/pdf',
  country_code: 'DE',
  crc32: '3610a686',
  domain: 'example.com',
  email: 'ann@example.com',
  filename: 'report.pdf',
  ip: '203.0.113.7',
  message: 'Here they are.',
  name: 'Ann Example',
  path: '/account',
  recipient: 'ben@example.com',
  remote_host: '203.0.113.7',
  remote_ip: '203.0.113.7',
  service: 'https://files.example.com',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  size_human: '2.99 MB',
  subject: 'Drawings',
  url: 'https://files.example.com/link/7hTq2mXw9tR7bPz1vLc8Ny',
};

/** Texts that their schema restricts to a form; the first that fits is shown. */
const forms = [
  '7hTq2mXw9tR7bPz1vLc8Ny',
  'K7QM-2XPD-94',
  '2026-11-30T09:15:00.000Z',
  '2026-12-31',
  'DE',
  '#0e5a6b',
  'message.no_recipients',
  '100',
  'example.com',
  texts.sha256!,
  'report',
];

const endings: [string, string][] = [
  ['at', forms[2]!],
  ['url', texts.url!],
  ['email', texts.email!],
  ['ip', texts.ip!],
];
const deepest = 8;

export function exampleOf(components: Json, schema: Json, isRequest: boolean): unknown {
  const resolve = (one: Json): Json => {
    if (typeof one.$ref === 'string') return resolve((components[one.$ref.split('/').at(-1)!] ?? {}) as Json);
    // The real answer comes before that of a dry run, and a value before null.
    const variants = (one.anyOf ?? one.oneOf) as Json[] | undefined;
    return variants === undefined || one.properties !== undefined ? one : resolve(variants[0]!);
  };
  const exampleValue = (one: Json, name: string, depth: number): unknown => {
    const resolved = resolve(one);
    if (resolved.properties !== undefined && depth < deepest) return objectOf(resolved, depth + 1);
    if (resolved.const !== undefined) return resolved.const;
    if (Array.isArray(resolved.enum)) return resolved.enum[0];
    const type = Array.isArray(resolved.type) ? resolved.type[0] : resolved.type;
    if (type === 'array') return itemsOf(resolved, name, depth);
    if (type === 'boolean') return true;
    if (type === 'integer' || type === 'number') return numberOf(resolved, name);
    if (type === 'string') return textOf(resolved, name);
    return type === 'object' ? {} : null;
  };
  const itemsOf = (one: Json, name: string, depth: number): unknown[] => {
    const items = one.items as Json | undefined;
    const isEmpty = items === undefined || depth >= deepest || (isRequest && one.minItems === undefined);
    return isEmpty ? [] : [exampleValue(items, name.replace(/s$/, ''), depth)];
  };
  const objectOf = (one: Json, depth: number): Json => {
    const needed = (one.required ?? []) as string[];
    const example: Json = {};
    for (const [name, property] of Object.entries(one.properties as Record<string, Json>)) {
      const isWrapper = resolve(property).properties !== undefined;
      if (isRequest && name in sent && !isWrapper) example[name] = sent[name];
      else if (!isRequest || needed.includes(name)) example[name] = exampleValue(property, name, depth);
    }
    return example;
  };
  return exampleValue(schema, '', 0);
}

function numberOf({ minimum, maximum }: Json, name: string): number {
  const usual = name.includes('size') || name.includes('bytes') ? 3_135_242 : 1;
  return Math.min(Math.max(usual, Number(minimum ?? 0)), Number(maximum ?? usual));
}

function textOf({ pattern, format, maxLength, minLength }: Json, name: string): string {
  if (format === 'date') return '2026-12-31';
  const usual = texts[name] ?? endings.find(([ending]) => name === ending || name.endsWith(`_${ending}`))?.[1];
  const fits = (text: string) =>
    (pattern === undefined || new RegExp(pattern as string).test(text)) &&
    text.length <= Number(maxLength ?? text.length) &&
    text.length >= Number(minLength ?? 0);
  const longest = 'abcdefghijklmnopqrstuvwxyz0123456789'.repeat(8).slice(0, Number(minLength ?? 0));
  const candidates = [
    usual,
    ...(format === 'uri' ? [texts.url] : []),
    ...(pattern === undefined ? ['text'] : forms),
    longest,
  ];
  return candidates.find((text) => text !== undefined && fits(text)) ?? 'text';
}
