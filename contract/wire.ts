// Building blocks of the wire format: ids, dates, instants, lenient booleans. What travels, nothing of how it is kept.
import { z } from 'zod';

/** Ids and keys are plain letters and digits, 22 of them (compatibility rule 10). */
export const id = z.string().regex(/^[A-Za-z0-9]{22}$/);

/** What names a transfer to everybody but its owner. It opens nothing; case and dashes do not matter when it is sent. */
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

/** A boolean; old clients send the strings "true" and "false" (compatibility rule 15). */
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

/** What a request may leave out, or send as null, with one meaning: not given. Keeps what the schema says of itself. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  const made = schema
    .nullish()
    .transform((value) => (value === null || value === undefined ? undefined : (value as z.output<Schema>)));
  return schema.description === undefined ? made : made.describe(schema.description);
}
