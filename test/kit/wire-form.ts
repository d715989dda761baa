// Reads an answer as programs receive it: checked against the schema of the contract, but not decoded.
import type { z } from 'zod';

/** The answer itself, once the schema accepts it. */
export function wireForm<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.input<Schema> {
  schema.parse(answer);
  return answer as z.input<Schema>;
}
