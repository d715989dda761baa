// The clock of an installation: all processes share its high-water mark in the database. Machines must agree with the
// clock of the database, so that a wrong clock expires nothing.

import { findFutureFault } from '../actions/system/future-instants.ts';
import { findTablesFault } from '../db/open.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import { findMetaNumber, raiseMeta, readDatabaseTime, setMeta } from '../db/system/installation.ts';
import { endFutureWaits, type MetaKey } from '../db/system/instants.ts';
import { type Clock, Unavailable } from '../domain/ports.ts';
import { type BaseClock, checkedClock, steadyClock } from '../lib/clock.ts';

/** Mending begins a new mark, which processes with the old one cannot raise. */
const mendedKey = 'clock_mended';
const highWaterKey = (mended: number): MetaKey => (mended === 0 ? 'clock_high_water' : `clock_high_water/${mended}`);
export const uptimeKey = 'uptime';

/** Tolerated difference from the database, and tolerated lead of the mark. */
const toleranceMs = 60_000;
/** A slower comparison is too inaccurate. */
const slowMs = 30_000;

/** The reference clock; null for the machine's own. */
export type Reference = (() => Promise<number>) | null;

export interface ServiceClock extends Clock {
  /** False while this machine's clock is wrong; then it must not change anything. */
  isRight(): boolean;
  assertRight(): void;
  /** Compares with the database again. */
  compare(): Promise<void>;
  mark(): { now: number; mended: number };
  takeOver(mark: { highWater: number; mended: number }): void;
}

export class ClockWrong extends Unavailable {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'ClockWrong';
  }
}

/** PostgreSQL has one clock for all machines; SQLite uses the machine's own. */
export function referenceOf(db: LockedDb): Reference {
  return db.dialect === 'postgres' ? () => readDatabaseTime(db.read) : null;
}

/** Never goes back, even across restarts: a clock set back revives nothing. */
export async function openClock(db: LockedDb, base: BaseClock, reference: Reference = null): Promise<ServiceClock> {
  const wall = checkedClock(base, toleranceMs);
  await compareWith(wall, reference);
  let mended = await findMetaNumber(db.read, mendedKey);
  const steady = steadyClock(wall, await findMetaNumber(db.read, highWaterKey(mended)));
  const before = await findMetaNumber(db.read, uptimeKey);
  const startedAt = base.monotonic();

  const wrong = () => wrongClock(base.now(), wall.aheadMs());
  return {
    now: steady.now,
    uptime: () => before + base.monotonic() - startedAt,
    fault: () => wrong() ?? standingStill(wall.now(), steady.now()),
    isRight: () => wrong() === null,
    assertRight() {
      const sentence = wrong();
      if (sentence !== null) throw new ClockWrong(sentence);
    },
    compare: () => compareWith(wall, reference),
    mark: () => ({ now: steady.now(), mended }),
    takeOver(mark) {
      if (mark.mended === mended) steady.raise(mark.highWater);
      else steady.restartFrom(mark.highWater);
      mended = mark.mended;
    },
  };
}

async function compareWith(wall: ReturnType<typeof checkedClock>, reference: Reference): Promise<void> {
  if (reference === null) return;
  const askedAt = wall.monotonic();
  const instant = await reference();
  const tookMs = wall.monotonic() - askedAt;
  if (tookMs < slowMs) wall.compare(instant + Math.round(tookMs / 2));
}

/** Throws before anything is changed. */
export async function assertCorrectClock(base: BaseClock, reference: Reference): Promise<void> {
  const wall = checkedClock(base, toleranceMs);
  await compareWith(wall, reference);
  const sentence = wrongClock(base.now(), wall.aheadMs());
  if (sentence !== null) throw new ClockWrong(sentence);
}

/** Stores the marks, and adopts a higher one of another process. */
export async function saveClock(db: LockedDb, clock: ServiceClock): Promise<void> {
  const uptime = Math.floor(clock.uptime());
  const own = clock.mark();
  const mark = await db.write(async (tx) => {
    await raiseMeta(tx, uptimeKey, uptime);
    const mended = await findMetaNumber(tx, mendedKey);
    // Never overwrites a mended mark with the old one.
    const key = highWaterKey(mended);
    const highWater = mended === own.mended ? await raiseMeta(tx, key, own.now) : await findMetaNumber(tx, key);
    return { highWater, mended };
  });
  clock.takeOver(mark);
  // Corrects what this process wrote before it knew of the mending.
  if (mark.mended !== own.mended) await db.write((tx) => endFutureWaits(tx, clock.now()));
}

export interface ClockReport {
  machine: string;
  /** Null without a clock other than the machine's own. */
  database: string | null;
  mark: string;
  faults: string[];
}

export async function describeClock(db: LockedDb, base: BaseClock, reference = referenceOf(db)): Promise<ClockReport> {
  const now = base.now();
  const databaseNow = reference === null ? null : await reference();
  const mark = await findMetaNumber(db.read, highWaterKey(await findMetaNumber(db.read, mendedKey)));
  const clockFaults = [wrongClock(now, now - (databaseNow ?? now)), standingStill(databaseNow ?? now, mark)];
  const faults = clockFaults.filter((fault) => fault !== null);
  const isReadable = faults.length === 0 && (await findTablesFault(db)) === null;
  const stamped = isReadable ? await findFutureFault(db.read, databaseNow ?? now, { isThorough: true }) : null;
  return {
    machine: timeOf(now),
    database: databaseNow === null ? null : timeOf(databaseNow),
    mark: timeOf(mark),
    faults: stamped === null ? faults : [stamped],
  };
}

/** Resets the mark to the reference clock. Running processes follow. */
export async function mendClock(db: LockedDb, base: BaseClock, reference = referenceOf(db)): Promise<void> {
  await assertCorrectClock(base, reference);
  const now = reference === null ? base.now() : await reference();
  await db.write(async (tx) => {
    const mended = (await findMetaNumber(tx, mendedKey)) + 1;
    await setMeta(tx, highWaterKey(mended), String(now));
    await setMeta(tx, mendedKey, String(mended));
    await endFutureWaits(tx, now);
  });
}

/** Null when the machine agrees with the database. */
function wrongClock(now: number, aheadMs: number): string | null {
  if (Math.abs(aheadMs) <= toleranceMs) return null;
  return (
    `The clock of this machine says ${timeOf(now)}, ${spanOf(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of ` +
    'the database. Nothing is changed from here until they agree: set the clock, for example with timedatectl set-ntp true.'
  );
}

/** Null while time passes. */
function standingStill(now: number, mark: number): string | null {
  if (mark - now <= toleranceMs) return null;
  return (
    `This installation has already seen ${timeOf(mark)}, ${spanOf(mark - now)} later than it is (${timeOf(now)}), and lets ` +
    'no time pass until then. If the clock is right now, run waybill-server clock --mend.'
  );
}

function timeOf(instant: number): string {
  return new Date(instant).toISOString().replace(/\.\d+Z$/, 'Z');
}

const units = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
  { name: 'second', ms: 1000 },
];

/** In the largest unit that fits twice: "40 days", "26 hours". */
function spanOf(ms: number): string {
  const unit = units.find(({ ms: size }) => Math.abs(ms) >= 2 * size) ?? units.at(-1)!;
  const count = Math.round(Math.abs(ms) / unit.ms);
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}
