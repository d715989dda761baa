// Daily history of used storage, and a forecast of the day it will be full.
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

export async function recordStorageDay(ctx: Ctx): Promise<void> {
  const today = await measureToday(ctx);
  await ctx.db.write(async (tx) => {
    await saveStorageDay(tx, today);
    await deleteStorageDaysBefore(tx, addDays(today.day, -keptDays));
  });
}

/** The last 90 days, oldest first; today as of now. */
export async function findStorageDays(ctx: Ctx): Promise<StorageDay[]> {
  const today = await measureToday(ctx);
  return [...(await daysBefore(ctx, today.day)), today];
}

/** Null without growth or history. */
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

async function measureToday(ctx: Ctx): Promise<StorageDay> {
  const at = ctx.clock.now();
  const space = (await ctx.blobs.state()) === 'unreachable' ? null : await ctx.blobs.space();
  return {
    day: dateOf(at, ctx.settings.surroundings.timeZone),
    at,
    keptBytes: await sumKeptBytes(ctx.db.read),
    // Some stores report fractions of bytes.
    usedBytes: space === null ? null : Math.round(space.usedBytes),
    totalBytes: space === null ? null : Math.round(space.totalBytes),
  };
}
