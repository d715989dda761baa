// The clock of an installation: its high-water mark is kept in the database and shared by all processes.
import { findMetaNumber, raiseMeta } from '../db/installation.ts';
import type { LockedDb } from '../db/schema.ts';
import type { Clock } from '../domain/ports.ts';
import { type BaseClock, type SteadyClock, steadyClock } from '../lib/clock.ts';

const highWaterKey = 'clock_high_water';
const uptimeKey = 'uptime';

export interface ServiceClock extends Clock, SteadyClock {}

/** A clock that never goes back, also across restarts: a clock set back revives nothing (security D22). */
export async function openClock(db: LockedDb, base: BaseClock): Promise<ServiceClock> {
  const steady = steadyClock(base, await findMetaNumber(db.read, highWaterKey));
  const before = await findMetaNumber(db.read, uptimeKey);
  const startedAt = base.monotonic();
  return { now: steady.now, raise: steady.raise, uptime: () => before + base.monotonic() - startedAt };
}

/** Writes the marks down and takes over a higher one of another process. */
export async function saveClock(db: LockedDb, clock: ServiceClock): Promise<void> {
  const now = clock.now();
  const uptime = Math.floor(clock.uptime());
  const highWater = await db.write(async (tx) => {
    await raiseMeta(tx, uptimeKey, uptime);
    return raiseMeta(tx, highWaterKey, now);
  });
  clock.raise(highWater);
}
