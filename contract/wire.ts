// Building blocks of the wire format: ids, dates, instants, lenient booleans.
import { z } from 'zod';
import { type Audience, audienceDescriptions, audiences } from './audiences.ts';
import { derived, named } from './codec.ts';
import { humanSize } from './sizes.ts';

/** Ids and keys are plain letters and digits, 22 of them , which existing clients rely on. */
export const id = z.string().regex(/^[A-Za-z0-9]{22}$/);

/** Names a transfer for people other than its owner. Grants no access; case and dashes are ignored in requests. */
export const reference = z
  .string()
  .regex(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{2}$/)
  .describe('Public reference, such as `K7QM-2XPD-94`.');

/** A calendar date, `YYYY-MM-DD`. */
export const date = z.iso.date().refine((text) => text >= '1971', 'must be a day since 1971');

/** An instant: ISO 8601, UTC, milliseconds, `Z`. */
export const instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** An instant on the wire, milliseconds since the epoch inside. */
export const instantMs = z.codec(instant, z.number(), {
  decode: (text) => Date.parse(text),
  encode: (milliseconds) => new Date(milliseconds).toISOString(),
});

/** A boolean; old clients send the strings "true" and "false". */
export const flag = z.union([
  z.boolean(),
  z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1'),
  z.literal([0, 1]).transform((number) => number === 1),
]);

/** A whole number; old clients send digits as a string. Never Infinity, never a fraction. */
export const wholeNumber = z.union([
  z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);

/** Digits in a query. OpenAPI documents describe them as an integer. */
export function digits(minimum: number, maximum = 999_999_999_999_999) {
  const isWithin = (text: string) => /^\d{1,15}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
  return z
    .string()
    .refine(isWithin, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .meta(integerOf(minimum, maximum));
}

/** For `meta` of a text that holds a whole number. */
export function integerOf(minimum: number, maximum?: number) {
  return { wholeNumber: { minimum, ...(maximum === undefined ? {} : { maximum }) } };
}

/** What a request may leave out, or send as null, with one meaning: not given. Keeps what the schema says of itself. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  const made = schema
    .nullish()
    .transform((value) => (value === null || value === undefined ? undefined : (value as z.output<Schema>)));
  return schema.description === undefined ? made : made.describe(schema.description);
}

/** The same with a value for what is not given. */
export function optionalOr<Schema extends z.ZodType, Value extends z.output<Schema> | null>(
  schema: Schema,
  value: Value,
) {
  const made = schema.nullish().transform((given) => (given ?? value) as z.output<Schema> | Extract<Value, null>);
  return schema.description === undefined ? made : made.describe(schema.description);
}

/** What a query may leave out; then it has this value. */
export function otherwise<Schema extends z.ZodType, const Value>(schema: Schema, value: Value) {
  const made = schema.optional().transform((given): z.output<Schema> | Value => given ?? value);
  return schema.description === undefined ? made : made.describe(schema.description);
}

/** For `refine`: refuses with this code and sentence. */
export function refusal(code: string, sentence: string) {
  return { error: sentence, params: { code } };
}

/** A number on the wire; 0 is null inside. */
export function nullIfZero(schema: z.ZodInt) {
  return z.codec(schema, z.number().nullable(), { decode: (value) => value || null, encode: (value) => value ?? 0 });
}

/** An empty text on the wire; null inside. */
export const nullIfBlank = z.codec(z.string(), z.string().nullable(), {
  decode: (text) => (text === '' ? null : text),
  encode: (text) => text ?? '',
});

/** A text with commas on the wire; a list inside. */
export const commaList = z.codec(z.string(), z.array(z.string()), {
  decode: (text) => (text === '' ? [] : text.split(',')),
  encode: (items) => items.join(','),
});

/** A list on the wire; a text with commas inside. */
export const listOfCommas = z.codec(z.array(z.string()), z.string(), {
  decode: (items) => items.join(','),
  encode: (text) => (text === '' ? [] : text.split(',')),
});

/** Null on the wire; 0 inside. */
export function zeroIfNull(schema: z.ZodInt) {
  return z.codec(schema.nullable(), z.number(), { decode: (value) => value ?? 0, encode: (value) => value || null });
}

/** A field that an answer leaves out where the domain has null. */
export function absentIfNull<Schema extends z.ZodType>(schema: Schema) {
  return z.codec(schema.optional(), z.custom<z.output<Schema> | null>(), {
    decode: (value) => value ?? null,
    encode: (value) => (value ?? undefined) as z.output<Schema> | undefined,
  });
}

// Fields that many nouns have.
export const fileName = named('fileName', z.string());
export const sizeBytes = named('sizeBytes', z.int().min(0));
export const sizeHuman = derived(z.string(), (of: { sizeBytes: number }) => humanSize(of.sizeBytes));
export const sha256 = named('sha256', z.string());
/** The last day of something. */
export const expiresOn = named('expiresOn', date);

/** A field `authorization`. */
export const audience = named(
  'audience',
  z.codec(z.int().min(0).max(4), z.enum(audiences), {
    decode: (level) => audiences[level] as Audience,
    encode: (word) => audiences.indexOf(word),
  }),
);

/** A field `authorization_description`. */
export const audienceDescription = derived(
  z.string(),
  (of: { audience: Audience }) => audienceDescriptions[of.audience],
);
