// Daily sums of the download log (docs/adr/0101): computed by a job once a day is final, deleted if a row changes later.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  allOwners,
  beginDay,
  forgetDays,
  forgetDaysAfter,
  listDaysToSum,
  listOwnedRecipients,
  listSummedDays,
  type SummedDay,
  saveDay,
  sumCells,
} from '../../db/downloads/download-days.ts';
import { dayMs, isWholeLog, type LogFilter } from '../../db/downloads/download-figures.ts';
import { type AdminDownloadFilter, isWholeAdminLog } from '../../db/downloads/download-lists.ts';
import type { Tx } from '../../db/schema/schema.ts';
import {
  addCell,
  type DaySums,
  emptyDaySums,
  encodeDaySums,
  personNumber,
  quarterMs,
} from '../../domain/download-sums.ts';
import { ticketLifetimeMs } from '../../domain/downloads.ts';
import { dayFinder } from '../../lib/dates.ts';
import type { Ctx } from '../context.ts';

/** Then its tickets have expired and nearly all downloads have ended. */
const finalAfterMs = 2 * ticketLifetimeMs;
/** Below this number of rows, sums are no faster. */
const minRows = 100;
/** Short, so that other queries do not wait. */
const sliceMs = 3_600_000;

function lastFinalDay(ctx: Ctx): number {
  return Math.floor((ctx.clock.now() - finalAfterMs) / dayMs) - 1;
}

/** Returns the number of summed days. */
export async function sumDays(ctx: Ctx, max: number): Promise<number> {
  const lastDay = lastFinalDay(ctx);
  await ctx.db.write((tx) => forgetDaysAfter(tx, lastDay));
  let count = 0;
  for (const day of await listDaysToSum(ctx.db.read, lastDay, max)) if (await sumDay(ctx, day)) count += 1;
  return count;
}

/** False if a row of the day changed concurrently. */
async function sumDay(ctx: Ctx, day: number): Promise<boolean> {
  await ctx.db.write((tx) => beginDay(tx, day));
  const all = emptyDaySums();
  const owners = new Map<string, { sums: DaySums; lines: number }>();
  const ownerOf = (id: string) => {
    const owner = owners.get(id) ?? { sums: emptyDaySums(), lines: 0 };
    owners.set(id, owner);
    return owner;
  };
  for (let from = day * dayMs; from < (day + 1) * dayMs; from += sliceMs) {
    const slice = { from, to: from + sliceMs };
    for (const cell of await sumCells(ctx.db.read, slice)) {
      const owner = ownerOf(cell.ownerId);
      owner.lines += cell.downloads;
      addCell(owner.sums, cell.attachmentId, cell);
      addCell(all, cell.ownerId, cell);
    }
    for (const { ownerId, address } of await listOwnedRecipients(ctx.db.read, slice)) {
      const person = personNumber(address);
      ownerOf(ownerId).sums.people.add(person);
      all.people.add(person);
    }
    await yieldToEventLoop();
  }
  const summed = [...owners].filter(([, { lines }]) => lines >= minRows);
  const written = new Map(summed.map(([id, { sums }]) => [id, encodeDaySums(sums)]));
  return ctx.db.write((tx) => saveDay(tx, day, encodeDaySums(all), written));
}

/** Process clocks may differ by a minute. */
const clockMarginMs = 3_600_000;

/** Called before rows of a download change. */
export async function forgetSumsOf(ctx: Ctx, tx: Tx, { grantedAt }: { grantedAt: number }): Promise<void> {
  if (ctx.clock.now() - grantedAt < finalAfterMs - clockMarginMs) return;
  const day = Math.floor(grantedAt / dayMs);
  await forgetDays(tx, day, day);
}

export interface SummedLog {
  /** Oldest first. */
  days: SummedDay[];
  /** Times without sums, whose rows must be read. */
  rest: { from: number; to: number }[];
}

/** With a filter, all rows must be read. */
export async function readSummedLog(ctx: Ctx, filter: LogFilter): Promise<SummedLog> {
  return isWholeLog(filter) ? readSummed(ctx, filter.ownerId, filter) : { days: [], rest: [filter] };
}

/** For administrators: all users, or one owner. */
export async function readSummedAdminLog(ctx: Ctx, filter: AdminDownloadFilter): Promise<SummedLog> {
  return isWholeAdminLog(filter) ? readSummed(ctx, filter.ownerId ?? allOwners, filter) : { days: [], rest: [filter] };
}

async function readSummed(ctx: Ctx, ownerId: string, { from, to }: { from: number; to: number }): Promise<SummedLog> {
  const firstDay = Math.ceil(from / dayMs);
  const lastDay = Math.min(Math.floor(to / dayMs) - 1, lastFinalDay(ctx));
  const days = await listSummedDays(ctx.db.read, ownerId, { firstDay, lastDay });
  const rest: SummedLog['rest'] = [];
  let readTo = from;
  for (const { day } of days) {
    if (day * dayMs > readTo) rest.push({ from: readTo, to: day * dayMs });
    readTo = (day + 1) * dayMs;
  }
  if (readTo < to) rest.push({ from: readTo, to });
  return { days, rest };
}

/** Local day, since 1970, of a quarter hour of a summed day. */
export type LocalDays = (day: SummedDay, quarter: number) => number;

/** Limits the zone's range, because the requested time may span millennia. */
export function localDaysOf(days: SummedDay[], timeZone: string): LocalDays {
  const [first, last] = [days[0]?.day ?? 0, days.at(-1)?.day ?? 0];
  const dayOf = dayFinder(timeZone, first * dayMs, (last + 1) * dayMs);
  return ({ day }, quarter) => dayOf(day * dayMs + quarter * quarterMs);
}
