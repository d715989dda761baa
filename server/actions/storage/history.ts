// How the store has filled up, day by day, and when it will be full if it goes on like this.
import { sumKeptBytes } from '../../db/overview/overview.ts';
import {
  deleteStorageDaysBefore,
  listStorageDays,
  type StorageDay,
  saveStorageDay,
} from '../../db/storage/storage-days.ts';
import type { StoreSpace } from '../../domain/ports.ts';
import { fullAt } from '../../domain/storage-forecast.ts';
import { addDays, dateOf } from '../../lib/dates.ts';
import type { Ctx } from '../context.ts';

const shownDays = 90;
const keptDays = 400;

/** Remembers how much is stored today. */
export async function keepStorageDay(ctx: Ctx): Promise<void> {
  const today = await lookAtToday(ctx);
  await ctx.db.write(async (tx) => {
    await saveStorageDay(tx, today);
    await deleteStorageDaysBefore(tx, addDays(today.day, -keptDays));
  });
}

/** The last 90 days that were looked at, oldest first; today as it is now. */
export async function findStorageDays(ctx: Ctx): Promise<StorageDay[]> {
  const today = await lookAtToday(ctx);
  return [...(await daysBefore(ctx, today.day)), today];
}

/** The day it will be full if it keeps growing as in these 90 days; null when it does not grow, or nothing is known yet. */
export async function findFullDay(ctx: Ctx, { usedBytes, totalBytes }: StoreSpace): Promise<string | null> {
  const now = ctx.clock.now();
  const { timeZone } = ctx.settings.surroundings;
  const before = await daysBefore(ctx, dateOf(now, timeZone));
  const known = before.flatMap(({ at, usedBytes: used }) => (used === null ? [] : [{ at, bytes: used }]));
  const at = fullAt([...known, { at: now, bytes: usedBytes }], totalBytes);
  return at === null ? null : dateOf(at, timeZone);
}

async function daysBefore(ctx: Ctx, today: string): Promise<StorageDay[]> {
  const days = await listStorageDays(ctx.db.read, addDays(today, 1 - shownDays));
  return days.filter(({ day }) => day < today);
}

async function lookAtToday(ctx: Ctx): Promise<StorageDay> {
  const at = ctx.clock.now();
  const space = (await ctx.blobs.state()) === 'unreachable' ? null : await ctx.blobs.space();
  return {
    day: dateOf(at, ctx.settings.surroundings.timeZone),
    at,
    keptBytes: await sumKeptBytes(ctx.db.read),
    // Some stores compute it from shares of a whole.
    usedBytes: space === null ? null : Math.round(space.usedBytes),
    totalBytes: space === null ? null : Math.round(space.totalBytes),
  };
}
