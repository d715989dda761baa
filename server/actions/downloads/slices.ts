// Divides a user's download log into slices of limited size, so that queries are short and memory is bounded.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  dayMs,
  findInstantAfter,
  findNumberAfter,
  isNarrow,
  type LogFilter,
  type LogSlice,
} from '../../db/downloads/download-figures.ts';
import { invalid } from '../../domain/problem.ts';
import { addDays, dateOf, endOfDay, startOfDay, zoneStretches } from '../../lib/dates.ts';
import type { Ctx } from '../context.ts';

export interface LogQuery extends Omit<LogFilter, 'ownerId'> {
  /** As days of `timeZone`, `YYYY-MM-DD`. */
  firstDay: string;
  lastDay: string;
  timeZone: string;
}

/** Whole days and filters; null for all. */
export interface LogInput extends Omit<LogQuery, 'firstDay' | 'lastDay' | 'from' | 'to'> {
  from?: string | undefined;
  to?: string | undefined;
  /** Number of days, if `from` is left out. */
  days: number;
}

export function resolveLogQuery(ctx: Ctx, { from, to, days, ...filters }: LogInput): LogQuery {
  const { timeZone } = filters;
  const lastDay = to ?? dateOf(ctx.clock.now(), timeZone);
  const firstDay = from ?? addDays(lastDay, 1 - days);
  if (firstDay > lastDay) throw invalid('log.bad_range', 'The first day must not be after the last one.', 'from');
  return { ...filters, firstDay, lastDay, from: startOfDay(firstDay, timeZone), to: endOfDay(lastDay, timeZone) };
}

/** Rows per query: from an index alone, or row by row. */
const sliceLines = { wide: 8000, narrow: 4000 };

export async function* slicesOf(ctx: Ctx, filter: LogFilter): AsyncGenerator<LogSlice> {
  let { from } = filter;
  let afterNumber = 0;
  for (;;) {
    if (isNarrow(filter)) {
      const toNumber = await findNumberAfter(ctx.db.read, filter, afterNumber, sliceLines.narrow - 1);
      yield { ...filter, afterNumber, toNumber };
      if (toNumber === null) return;
      afterNumber = toNumber;
    } else {
      const next = await findInstantAfter(ctx.db.read, { ...filter, from }, sliceLines.wide);
      // An instant with very many rows is not divided.
      const to = next === null ? filter.to : Math.max(next, from + 1);
      yield { ...filter, from, to, afterNumber: 0, toNumber: null };
      if (next === null) return;
      from = to;
    }
    await yieldToEventLoop();
  }
}

/** Slices without a change of the zone's offset. Skips times before the first row. */
export async function* zonedSlicesOf(
  ctx: Ctx,
  filter: LogFilter & { timeZone: string },
): AsyncGenerator<{ slice: LogSlice; offsetMs: number }> {
  const first = await findInstantAfter(ctx.db.read, filter, 0);
  if (first === null) return;
  const end = Math.min(filter.to, ctx.clock.now() + dayMs);
  for (const { from, to, offsetMs } of zoneStretches(filter.timeZone, first, end))
    for await (const slice of slicesOf(ctx, { ...filter, from, to })) yield { slice, offsetMs };
}
