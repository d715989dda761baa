// Extreme dates, numbers and texts, and plausible requests with one of them in a single place.
import { z } from 'zod';

const dates = [
  '0000-01-01',
  '0001-01-01',
  '1970-01-01',
  '9999-12-31',
  '10000-01-01',
  '275760-09-13',
  '-000001-01-01',
  '99991231',
  '1970-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59.999999999-23:59',
];
const ends = [2n ** 31n, 2n ** 53n, 2n ** 63n, 10n ** 30n];
const integers = ['0', '-1', ...ends.flatMap((end) => [`${end - 1n}`, `${end}`, `-${end + 1n}`])];
const fractions = ['0.5', '1e400', '-0', 'NaN', '0x7fffffff'];

export const extremeTexts = [
  ...dates,
  ...integers,
  ...fractions,
  '',
  ' ',
  'x'.repeat(10_000),
  '😀'.repeat(2000),
  'a\0b',
  '\ud800',
  'a\udfff',
];
/** As JSON: the same texts, and numbers without quotes. */
export const extremeJson = [
  ...extremeTexts.filter((text) => text !== '').map((text) => JSON.stringify(text)),
  '""',
  'null',
  ...integers,
  '0.5',
  '1e400',
  '-0',
];

export type Shape = string | number | boolean | null | Shape[] | { [name: string]: Shape };

/** A plausible value of a schema; `known` has values by field name, of which the first permitted one is used. */
export function plausible(schema: z.ZodType, known: Record<string, Shape[]>, name = ''): Shape {
  const inner = unwrapped(schema);
  const value = known[name]?.find((one) => inner.safeParse(one).success);
  if (value !== undefined) return value;
  if (inner instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(inner.shape as Record<string, z.ZodType>).map(([field, one]) => [
        field,
        plausible(one, known, field),
      ]),
    );
  if (inner instanceof z.ZodArray) return [plausible(inner.element as z.ZodType, known, name.replace(/s$/, ''))];
  if (inner instanceof z.ZodUnion) return plausible(inner.options[0] as z.ZodType, known, name);
  if (inner instanceof z.ZodEnum) return (inner.options as string[])[0]!;
  if (inner instanceof z.ZodLiteral) return inner.value as string;
  const simple: Shape[] = [
    'text',
    1,
    true,
    '2026-12-01',
    '2026-12-01T00:00:00.000Z',
    'a@example.com',
    '1',
    ['text'],
    {},
    null,
  ];
  return simple.find((one) => inner.safeParse(one).success) ?? 'text';
}

function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrapped(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in as z.ZodType);
  return schema;
}

const mark = '@extreme@';

/** The text of a body once for each value in it, with a mark in its place. */
export function* placesIn(body: Shape, at: (value: Shape) => Shape = (value) => value): Generator<string> {
  yield JSON.stringify(at(mark));
  if (Array.isArray(body))
    for (const [index, one] of body.entries()) yield* placesIn(one, (value) => at(body.with(index, value)));
  else if (typeof body === 'object' && body !== null)
    for (const [name, one] of Object.entries(body)) yield* placesIn(one, (value) => at({ ...body, [name]: value }));
}

export function putInto(place: string, json: string): string {
  return place.replace(`"${mark}"`, () => json);
}
