// Sums of the download log that are kept day by day (decision 0101): made by a job once nothing of a day changes any more,
// taken by the figures in place of its lines, thrown away when a line changes after all.
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

/** So long after its end a day is summed. Until then its tickets have expired, and nearly all its downloads have ended. */
const restMs = 2 * ticketLifetimeMs;
/** A person's day with fewer lines is read as quickly as its sums would be. */
const fewLines = 100;
/** Lines of a day are read hour by hour, so that nobody else waits long. */
const sliceMs = 3_600_000;

/** The last day of which sums may be kept. */
function lastRestingDay(ctx: Ctx): number {
  return Math.floor((ctx.clock.now() - restMs) / dayMs) - 1;
}

/** Sums at most so many days that have none; returns how many it has. */
export async function sumDays(ctx: Ctx, atMost: number): Promise<number> {
  const lastDay = lastRestingDay(ctx);
  await ctx.db.write((tx) => forgetDaysAfter(tx, lastDay));
  let count = 0;
  for (const day of await listDaysToSum(ctx.db.read, lastDay, atMost)) if (await sumDay(ctx, day)) count += 1;
  return count;
}

/** False when a line of the day has changed meanwhile. */
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

/** The clocks of processes may differ by a minute. */
const clockMarginMs = 3_600_000;

/** Lines of a download are about to change: the day on which it began may have been summed. */
export async function forgetSumsOf(ctx: Ctx, tx: Tx, { grantedAt }: { grantedAt: number }): Promise<void> {
  if (ctx.clock.now() - grantedAt < restMs - clockMarginMs) return;
  const day = Math.floor(grantedAt / dayMs);
  await forgetDays(tx, day, day);
}

export interface KeptLog {
  /** Oldest first. */
  days: KeptDay[];
  /** Times between and around them, whose lines must be read. */
  rest: { from: number; to: number }[];
}

/** What is kept of a time of one person's log; with a filter its lines must be read. */
export async function readKeptLog(ctx: Ctx, filter: LogFilter): Promise<KeptLog> {
  return isWholeLog(filter) ? readKept(ctx, filter.ownerId, filter) : { days: [], rest: [filter] };
}

/** The same for the log of all users, or of one owner, for administrators. */
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

/** Finds the day that clocks of a zone show in a quarter of a kept day: days since 1970. */
export type LocalDays = (kept: KeptDay, quarter: number) => number;

/** Looks at the zone only for the time of these days: what somebody asks for may be thousands of years. */
export function localDaysOf(days: KeptDay[], timeZone: string): LocalDays {
  const [first, last] = [days[0]?.day ?? 0, days.at(-1)?.day ?? 0];
  const dayOf = dayFinder(timeZone, first * dayMs, (last + 1) * dayMs);
  return ({ day }, quarter) => dayOf(day * dayMs + quarter * quarterMs);
}
