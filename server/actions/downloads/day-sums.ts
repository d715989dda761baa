// Daily sums of the download log (docs/adr/0101): computed by a job once a day is final, used by statistics instead of
// its rows, deleted if a row changes later.
import { setImmediate as breathe } from 'node:timers/promises';
import {
  allOwners,
  beginDay,
  forgetDays,
  forgetDaysAfter,
  type KeptDay,
  listDaysToSum,
  listKeptDays,
  listOwnedRecipients,
  saveDay,
  sumCells,
} from '../../db/downloads/download-days.ts';
import { dayMs, isWholeLog, type LogFilter } from '../../db/downloads/download-figures.ts';
import { type EverybodysFilter, isWholeOfEverybodys } from '../../db/downloads/download-lists.ts';
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

/** Time after which a day is final: its tickets have expired and nearly all downloads have ended. */
const restMs = 2 * ticketLifetimeMs;
/** Below this number of rows, sums are no faster. */
const fewLines = 100;
/** Rows are read hour by hour, so that other queries do not wait long. */
const sliceMs = 3_600_000;

function lastRestingDay(ctx: Ctx): number {
  return Math.floor((ctx.clock.now() - restMs) / dayMs) - 1;
}

/** Sums at most this many days; returns their number. */
export async function sumDays(ctx: Ctx, atMost: number): Promise<number> {
  const lastDay = lastRestingDay(ctx);
  await ctx.db.write((tx) => forgetDaysAfter(tx, lastDay));
  let count = 0;
  for (const day of await listDaysToSum(ctx.db.read, lastDay, atMost)) if (await sumDay(ctx, day)) count += 1;
  return count;
}

/** False if a row of the day changed concurrently. */
async function sumDay(ctx: Ctx, day: number): Promise<boolean> {
  await ctx.db.write((tx) => beginDay(tx, day));
  const all = emptyDaySums();
  const owners = new Map<string, { sums: DaySums; lines: number }>();
  const ownerOf = (id: string) => {
    const known = owners.get(id) ?? { sums: emptyDaySums(), lines: 0 };
    owners.set(id, known);
    return known;
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
    await breathe();
  }
  const kept = [...owners].filter(([, { lines }]) => lines >= fewLines);
  const written = new Map(kept.map(([id, { sums }]) => [id, encodeDaySums(sums)]));
  return ctx.db.write((tx) => saveDay(tx, day, encodeDaySums(all), written));
}

/** Process clocks may differ by a minute. */
const clockMarginMs = 3_600_000;

/** Before rows of a download change: deletes the sums of the day it began. */
export async function forgetSumsOf(ctx: Ctx, tx: Tx, { grantedAt }: { grantedAt: number }): Promise<void> {
  if (ctx.clock.now() - grantedAt < restMs - clockMarginMs) return;
  const day = Math.floor(grantedAt / dayMs);
  await forgetDays(tx, day, day);
}

export interface KeptLog {
  /** Oldest first. */
  days: KeptDay[];
  /** Times without sums, whose rows must be read. */
  rest: { from: number; to: number }[];
}

/** With a filter, all rows must be read. */
export async function readKeptLog(ctx: Ctx, filter: LogFilter): Promise<KeptLog> {
  return isWholeLog(filter) ? readKept(ctx, filter.ownerId, filter) : { days: [], rest: [filter] };
}

/** For administrators: all users, or one owner. */
export async function readEverybodysKeptLog(ctx: Ctx, filter: EverybodysFilter): Promise<KeptLog> {
  return isWholeOfEverybodys(filter)
    ? readKept(ctx, filter.ownerId ?? allOwners, filter)
    : { days: [], rest: [filter] };
}

async function readKept(ctx: Ctx, ownerId: string, { from, to }: { from: number; to: number }): Promise<KeptLog> {
  const firstDay = Math.ceil(from / dayMs);
  const lastDay = Math.min(Math.floor(to / dayMs) - 1, lastRestingDay(ctx));
  const days = await listKeptDays(ctx.db.read, ownerId, { firstDay, lastDay });
  const rest: KeptLog['rest'] = [];
  let readTo = from;
  for (const { day } of days) {
    if (day * dayMs > readTo) rest.push({ from: readTo, to: day * dayMs });
    readTo = (day + 1) * dayMs;
  }
  if (readTo < to) rest.push({ from: readTo, to });
  return { days, rest };
}

/** Local day, since 1970, of a quarter hour of a summed day. */
export type LocalDays = (kept: KeptDay, quarter: number) => number;

/** Limits the zone's range to these days, because the requested time may span millennia. */
export function localDaysOf(days: KeptDay[], timeZone: string): LocalDays {
  const [first, last] = [days[0]?.day ?? 0, days.at(-1)?.day ?? 0];
  const dayOf = dayFinder(timeZone, first * dayMs, (last + 1) * dayMs);
  return ({ day }, quarter) => dayOf(day * dayMs + quarter * quarterMs);
}
