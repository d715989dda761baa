// Validates an answer against the contract's schema without decoding it.
import type { z } from 'zod';

export function wireForm<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.input<Schema> {
  schema.parse(answer);
  return answer as z.input<Schema>;
}
