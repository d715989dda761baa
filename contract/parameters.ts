// Parameters of a query whose schema says no more than "text". An empty one is one that was left out.
import { z } from 'zod';
import type { Order } from './lists.ts';
import { date, integerOf } from './wire.ts';

interface Refusal {
  error: string;
  params?: { code: string };
}

/** `read` returns undefined for a text that is refused. */
export function textParameter<Value, const Missing>(
  schema: z.ZodString,
  read: (text: string) => Value | undefined,
  missing: Missing,
  { error: message, params }: Refusal = { error: 'is not known' },
) {
  return schema.optional().transform((text = '', context): Value | Missing => {
    if (text === '') return missing;
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message, ...(params === undefined ? {} : { params }) });
    return z.NEVER;
  });
}

/** One of these words; null when left out. */
export function wordParameter<const Word extends string>(mostLength: number, words: readonly Word[]) {
  const find = (text: string) => words.find((word) => word === text);
  return textParameter(z.string().max(mostLength), find, null, { error: `must be one of ${words.join(', ')}` });
}

/** A field to order by, with a minus in front for descending. */
export function sortParameter<const Field extends string>(fields: readonly Field[], byDefault: Field | `-${Field}`) {
  const read = (text: string): Order<Field> | undefined => {
    const by = fields.find((field) => field === text.replace(/^-/, ''));
    return by === undefined ? undefined : { by, direction: text.startsWith('-') ? 'desc' : 'asc' };
  };
  return textParameter(z.string().max(20), read, read(byDefault)!, { error: `must be one of ${fields.join(', ')}` });
}

/** A whole number from 1. */
export function countParameter<const Otherwise extends number | null>(
  mostLength: number,
  { most, otherwise }: { most: number; otherwise: Otherwise },
) {
  const read = (text: string) => {
    const count = /^\d{1,15}$/.test(text) ? Number(text) : 0;
    return count < 1 || count > most ? undefined : count;
  };
  return textParameter(z.string().max(mostLength), read, otherwise, {
    error: `must be a whole number from 1 to ${most}`,
  }).meta(integerOf(1, most));
}

/** A date; null when left out. */
export function dateParameter() {
  const read = (text: string) => (date.safeParse(text).success ? text : undefined);
  return textParameter(z.string().max(10), read, null, { error: 'must be a date written as YYYY-MM-DD' });
}

/** Digits; null when left out. */
export function digitsParameter(pattern: RegExp, refused: Refusal) {
  return textParameter(z.string(), (text) => (pattern.test(text) ? Number(text) : undefined), null, refused).meta(
    integerOf(0),
  );
}
