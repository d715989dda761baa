// A wrong clock or rule must not erase everything at once (docs/adr/0008).

import type { Ctx } from '../actions/context.ts';
import { counted } from '../lib/counted.ts';
import type { RunOptions } from './job.ts';

/** The job waits for an operator. */
export class HeldBack extends Error {
  constructor(because: string) {
    super(because);
    this.name = 'HeldBack';
  }
}

const mostAtOnce = 1000;
const mostShare = 0.1;
const alwaysFine = 50;
const mostClockDriftMs = 3_600_000;

export function applySafetyLimit(options: RunOptions, what: string, due: number, all: number): void {
  if (options.isConfirmed || due <= alwaysFine) return;
  if (due > mostAtOnce || due > all * mostShare)
    throw new HeldBack(`${due} of ${all} ${what} would be erased in one run`);
}

interface Reading {
  wall: number;
  uptime: number;
}

const readings = new WeakMap<Ctx['clock'], { first: Reading; byJob: Map<string, Reading> }>();

/** Jobs compare with this reading until they have their own. */
export function startWatchingClock(ctx: Ctx): void {
  readings.set(ctx.clock, { first: readingOf(ctx), byJob: new Map() });
}

/** Throws when the clock was set by more than an hour since this job's last run. */
export function watchClock(ctx: Ctx, job: string, options: RunOptions): void {
  const known = readings.get(ctx.clock)!;
  const last = known.byJob.get(job) ?? known.first;
  const now = readingOf(ctx);
  known.byJob.set(job, now);
  if (options.isConfirmed) return;
  const drift = Math.abs(now.wall - last.wall - (now.uptime - last.uptime));
  if (drift > mostClockDriftMs)
    throw new HeldBack(`the clock was set by ${counted(Math.round(drift / 60_000), 'minute')}`);
}

function readingOf(ctx: Ctx): Reading {
  return { wall: ctx.clock.now(), uptime: ctx.clock.uptime() };
}
