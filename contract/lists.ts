// What lists take and return: words to look for, an order, a page.
import { z } from 'zod';
import { type CamelCase, camelCase } from './camel-case.ts';
import { named, wire } from './codec.ts';
import { digits, otherwise } from './wire.ts';

type FieldOf<Sort extends string> = Sort extends `-${infer Field}` ? Field : Sort;

type DomainField<Field extends string, Names> = Field extends keyof Names ? Names[Field] : CamelCase<Field>;

export interface Order<Field extends string> {
  by: Field;
  direction: 'asc' | 'desc';
}

/** The orders of a list; the first is the default, a leading minus means descending. `names`: domain names of fields. */
export function sortBy<
  const Sorts extends readonly [string, ...string[]],
  const Names extends Readonly<Record<string, string>> = Record<never, never>,
>(sorts: Sorts, names?: Names) {
  type Field = DomainField<FieldOf<Sorts[number]>, Names>;
  const read = (sort: string): Order<Field> => {
    const field = sort.replace(/^-/, '');
    return { by: (names?.[field] ?? camelCase(field)) as Field, direction: sort.startsWith('-') ? 'desc' : 'asc' };
  };
  const order = z
    .enum(sorts)
    .optional()
    .transform((sort) => read(sort ?? sorts[0]));
  return named('order', order.describe(`Order; ${sorts[0]} when left out.`));
}

/** Parameters of a list with numbered pages. */
export const pageFields = {
  page: otherwise(digits(1, 999_999).describe('From 1.'), 1),
  size: otherwise(digits(1, 100).describe('Items on a page, at most 100; 25 when left out.'), 25),
};

/** Query of a list with numbered pages. */
export function listQuery<Sort extends z.ZodType, const Filters extends z.ZodRawShape>(sort: Sort, filters: Filters) {
  return wire({
    q: otherwise(z.string().max(200).describe('Words to look for.'), ''),
    sort,
    ...pageFields,
    ...filters,
  });
}

/** Parameters of a list whose pages begin after a row of the page before, however many rows come before it. */
export function cursorFields(mostLength = 400, usualSize = 50) {
  const after = z.string().max(mostLength).describe('`next` of the page before; the first page when left out.');
  return {
    after: otherwise(after, ''),
    size: otherwise(digits(1, 100).describe(`Items on a page, at most 100; ${usualSize} when left out.`), usualSize),
  };
}

/** For the next page. */
export const nextPage = z.string().nullable().describe('Goes into `after` for the next page; null on the last one.');

/** For the addresses of an answer. */
export const knownNames = z
  .record(z.string(), z.string())
  .describe('By address: names of the people above, as far as the caller knows one.');

/** One page, and the other fields of the answer. */
export function listAnswer<Item extends z.ZodType, const More extends z.ZodRawShape>(item: Item, more: More) {
  return wire({
    items: z.array(item),
    total: z.int().min(0).describe('Items on all pages together.'),
    page: z.int().min(1),
    size: z.int().min(1),
    is_complete: z
      .boolean()
      .describe('false: `q` looked through the first 5,000 entries of this order only, so further ones may match.'),
    ...more,
  });
}
