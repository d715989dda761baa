// What every list of the web app takes and returns: a search word, an order, a page.
import { z } from 'zod';

const number = (pattern: RegExp) => z.string().regex(pattern).transform(Number).optional();

/** Query of a list; `sorts` are its orders, the first is the default, a leading minus means descending. */
export function listQuery<const Sorts extends readonly [string, ...string[]]>(sorts: Sorts) {
  return z.object({
    q: z.string().max(200).optional().describe('Words to look for.'),
    sort: z.enum(sorts).optional().describe(`Order; ${sorts[0]} when left out.`),
    page: number(/^[1-9]\d{0,5}$/).describe('From 1.'),
    size: number(/^([1-9]\d?|100)$/).describe('Items on a page, at most 100; 25 when left out.'),
  });
}

/** For the addresses of an answer. */
export const knownNames = z
  .record(z.string(), z.string())
  .describe('By address: names of the people above, as far as the caller knows one.');

export function listAnswer<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    total: z.int().min(0).describe('Items on all pages together.'),
    page: z.int().min(1),
    size: z.int().min(1),
    is_complete: z
      .boolean()
      .describe('false: `q` looked through the first 5,000 entries of this order only, so further ones may match.'),
  });
}
