// What every list of the console takes and returns: an order and the place to go on from. A long list has no page
// numbers: the next page begins after the last row of this one, however many rows come before it.
import { z } from 'zod';

/** Query of a list; `sorts` are its orders, the first is the default, a leading minus means descending. */
export function cursorQuery<const Sorts extends readonly [string, ...string[]]>(sorts: Sorts) {
  return z.object({
    q: z.string().max(200).optional().describe('Words to look for.'),
    sort: z.enum(sorts).optional().describe(`Order; ${sorts[0]} when left out.`),
    after: z.string().max(1000).optional().describe('`next` of the page before; the first page when left out.'),
    size: z
      .string()
      .regex(/^([1-9]\d?|100)$/)
      .transform(Number)
      .optional()
      .describe('Items on a page, at most 100; 50 when left out.'),
  });
}

export function cursorAnswer<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    total: z.int().min(0).describe('Items on all pages together.'),
    next: z.string().nullable().describe('Goes into `after` for the next page; null on the last one.'),
  });
}
