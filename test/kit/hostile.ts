// Hostile values, texts, bodies, headers and addresses: generators for fast-check.
import fc from 'fast-check';
import { z } from 'zod';
import { groupSettings } from '#contract/group-settings.ts';
import { anyText } from './any-text.ts';

/** Placeholders for what JSON.stringify cannot write. */
const raw = { huge: '1e400', tiny: '1e-400', long: '9'.repeat(400), minus: '-0', notANumber: 'NaN' } as const;
const mark = (name: keyof typeof raw) => `@raw-${name}@`;

export const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    'a\udfff',
    '__proto__',
    'constructor',
    '../../../etc/passwd',
    "'; drop table users; --",
    '" or "1"="1',
    '\u202egnp.exe',
    '\r\nX-Injected: yes',
    'x'.repeat(5000),
    '😀'.repeat(200),
    '%s%n%x',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what strangers send
    '${7*7}{{7*7}}',
    '<script>alert(1)</script>',
    '2026-02-30',
    '2026-11-20',
    '9999-12-31',
    '0001-01-01',
    '-1',
    'NaN',
    'true',
    'a@example.com',
    'A'.repeat(22),
    'local-users',
  ),
  anyText({ maxLength: 40 }),
  fc.string({ maxLength: 300 }),
);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(...(Object.keys(raw) as (keyof typeof raw)[]).map(mark)),
  fc.constantFrom(null, true, false, [], {}, [null], 0, -1, 1.5, 2 ** 53, 2 ** 63, 1e308, Array(200).fill('x')),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer({ min: 1, max: 60 }).map(nested),
  fc.constant(JSON.parse('{"__proto__": {"isAdministrator": true}}')),
);

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}

/** JSON that resembles a schema, with hostile values in some places; and invalid JSON. */
export function hostileJson(schema: z.ZodType): fc.Arbitrary<string> {
  return fc
    .oneof({ weight: 5, arbitrary: shaped(schema) }, hostileValue)
    .map((value) =>
      (JSON.stringify(value) ?? 'null').replace(/"@raw-(\w+)@"/g, (_, name) => raw[name as keyof typeof raw]),
    );
}

function shaped(schema: z.ZodType): fc.Arbitrary<unknown> {
  if (!(schema instanceof z.ZodObject)) return hostileValue;
  const fields = Object.fromEntries(
    Object.entries(schema.shape).map(([name, inner]) => [
      name,
      fc.oneof({ weight: 4, arbitrary: shaped(inner as z.ZodType) }, hostileValue),
    ]),
  );
  const own = fc.record(fields, { requiredKeys: [] });
  const names = fc.oneof(
    fc.constantFrom(...Object.keys(groupSettings), 'constructor', '__proto__', 'id', 'toString'),
    hostileText,
  );
  const others = fc.dictionary(names, hostileValue, { maxKeys: 3 });
  return fc.tuple(own, others).map(([known, unknown]) => ({ ...unknown, ...known }));
}

/** Bodies that are not JSON, or almost JSON. */
export const brokenBodies: (string | Buffer<ArrayBuffer>)[] = [
  '',
  ' ',
  'null',
  'true',
  '1e400',
  '"text"',
  '[]',
  '[[]]',
  '{',
  '{"link":',
  '{"link":{}}x',
  "{'link':{}}",
  '{"link":{"attachment":"a","attachment":"b"}}',
  '{"link":{"attachment":1e400}}',
  '{"user":{"email":"\\u0000"}}',
  '{"user":{"email":"\\ud800"}}',
  '{"__proto__":{"x":1},"user":{}}',
  '{"user":{"__proto__":{"email":"a@example.com"}}}',
  '[',
  `${'['.repeat(100_000)}`,
  `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
  `{"user":{"email":"${'x'.repeat(200_000)}"}}`,
  `{"user":"${'x'.repeat(300_000)}"}`,
  `{"a":${'9'.repeat(100_000)}}`,
  '\ufeff{"user":{}}',
  'user[email]=a',
  Buffer.from([0xff, 0xfe, 0x00]),
  Buffer.from('{"user":{"email":"\xff"}}', 'latin1'),
  Buffer.from([0x1f, 0x8b, 0x08, 0x00]),
];

export const contentTypes = [
  'application/json',
  'application/json; charset=utf-16',
  'application/json;;;',
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=x',
  'nonsense',
  '/',
  ';',
  'a'.repeat(3000),
];

export const hostilePathPart = fc.oneof(
  fc.constantFrom(
    'x',
    '%00',
    '%0d%0a',
    '%2e%2e',
    '..%2f..%2fetc',
    '%',
    '%zz',
    '%ff',
    '%c0%80',
    '%ed%a0%80',
    '%F0%9F%98%80',
    '%25%30%30',
    "'--",
    '*',
    ':id',
    '__proto__',
    'a'.repeat(1024),
    'a'.repeat(1025),
    'A'.repeat(22),
    'local-users',
    '~',
    ';x=y',
  ),
  // URL parsers resolve dots: `/x/./y` becomes `/x/y`, which is another call or a page.
  fc
    .string({ maxLength: 30 })
    .filter((text) => text !== '.')
    .map((text) => encodeURIComponent(text.toWellFormed())),
);

/** Query strings, from almost valid to nonsense. */
export function hostileQuery(names: string[]): fc.Arbitrary<string> {
  const value = fc.oneof(
    hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom('%', '%ff', '%00', '%zz', '&', '=', '1', '0', '-1', '9'.repeat(40), '1e3', '+', '[]'),
  );
  const name = fc.constantFrom(...names, 'x', '__proto__', 'filename[]', '', 'constructor');
  const pair = fc.tuple(name, fc.constantFrom('=', ''), value).map(([key, equals, text]) => `${key}${equals}${text}`);
  return fc.array(pair, { maxLength: 6 }).map((pairs) => pairs.join('&'));
}
