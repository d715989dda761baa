// Runs the background jobs at their intervals, each under a lease. A failed job is logged and runs again; it never ends
// the process.
import type { Ctx } from '../actions/context.ts';
import { DatabaseBusy } from '../db/engine/errors.ts';
import { endLeasesOf, findHeldReason, holdJob } from '../db/system/jobs.ts';
import { StoreFull, Unavailable } from '../domain/ports.ts';
import type { Job, RunOptions } from './job.ts';
import { LeaseLost, takeJobLease } from './lease.ts';
import { HeldBack, startWatchingClock } from './safety-limit.ts';

export interface JobRunner {
  /** Names this process in leases. */
  holder: string;
  jobs: readonly Pick<Job, 'name' | 'everyMs'>[];
  start(): void;
  /** For processes that serve but run no jobs. */
  startUpkeep(): void;
  /** Waits for a current run of this process. Null when another process has the job or took it over. */
  runOnce(name: string, options?: RunOptions): Promise<string | null>;
  /** For a dead process. */
  releaseLeasesOf(holder: string): Promise<void>;
  stop(): Promise<void>;
}

const upkeepMs = 1500;

export interface RunnerHooks {
  upkeep(): Promise<void>;
  /** A sentence for operators; null when the job may run. */
  pausedBecause?(job: Job): string | null;
  failed?(name: string): void;
}

export function createJobRunner(ctx: Ctx, jobs: readonly Job[], hooks: RunnerHooks): JobRunner {
  const holder = `${process.pid}.${ctx.random.id()}`;
  const timetable = createTimetable(ctx);
  const lastRuns = new Map<string, Promise<unknown>>();
  startWatchingClock(ctx);

  const runOnce: JobRunner['runOnce'] = (name, options = { isConfirmed: false }) => {
    const job = jobs.find((candidate) => candidate.name === name);
    if (job === undefined) return Promise.reject(new Error(`there is no job ${name}`));
    const reason = hooks.pausedBecause?.(job) ?? null;
    if (reason !== null) return Promise.resolve(`paused: ${reason}`);
    const before = lastRuns.get(name) ?? Promise.resolve();
    const run = before.then(() => runLeased(ctx, holder, job, options));
    run.catch((error: unknown) => isOutage(error) || hooks.failed?.(name));
    lastRuns.set(
      name,
      run.catch(() => {}),
    );
    return run;
  };

  const startUpkeep = () => timetable.every('upkeep', upkeepMs, hooks.upkeep);
  return {
    holder,
    jobs: jobs.map(({ name, everyMs }) => ({ name, everyMs })),
    runOnce,
    startUpkeep,
    start() {
      startUpkeep();
      for (const job of jobs) timetable.every(job.name, job.everyMs, () => runOnce(job.name));
    },
    releaseLeasesOf: (dead) => ctx.db.write((tx) => endLeasesOf(tx, dead)),
    stop() {
      for (const job of jobs) job.stop?.();
      return timetable.stop();
    },
  };
}

async function runLeased(ctx: Ctx, holder: string, job: Job, options: RunOptions): Promise<string | null> {
  const lease = await takeJobLease(ctx, { name: job.name, holder });
  if (lease === null) return null;
  let note = 'failed';
  let failure: string | null = null;
  try {
    note = await runWithinLimits(job.hasOwnLeases === true ? ctx : lease.ctx, job, options);
    return note;
  } catch (error) {
    if (isOutage(error)) {
      note = `waits: ${error.message}`.slice(0, 500);
      throw error;
    }
    if (!(error instanceof LeaseLost)) {
      failure = (error instanceof Error ? error.message : String(error)).slice(0, 500);
      throw error;
    }
    ctx.log.warn({ job: job.name }, error.message);
    return null;
  } finally {
    await lease.end({ note, failure });
  }
}

/** The job is not at fault; an alert of its own reports the outage. */
function isOutage(error: unknown): error is Error {
  return (error instanceof Unavailable && !(error instanceof DatabaseBusy)) || error instanceof StoreFull;
}

/** A held job stays held until an operator confirms it. */
async function runWithinLimits(ctx: Ctx, job: Job, options: RunOptions): Promise<string> {
  const held = await findHeldReason(ctx.db.read, job.name);
  if (held !== null && !options.isConfirmed) return `held back: ${held}`;
  if (held !== null) await ctx.db.write((tx) => holdJob(tx, job.name, null));
  try {
    return await job.run(ctx, options);
  } catch (error) {
    if (!(error instanceof HeldBack)) throw error;
    ctx.log.error({ job: job.name }, `a job was held back and waits for an operator: ${error.message}`);
    await ctx.db.write((tx) => holdJob(tx, job.name, error.message));
    return `held back: ${error.message}`;
  }
}

/** The interval begins when the previous run has ended. */
function createTimetable(ctx: Ctx) {
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<unknown>>();
  let isStopping = false;

  function every(job: string, ms: number, work: () => Promise<unknown>): void {
    if (isStopping) return;
    const timer = setTimeout(async () => {
      timers.delete(timer);
      const turn = work().catch((error: unknown) =>
        ctx.log.error({ job, err: describe(error) }, 'a background job failed'),
      );
      running.add(turn);
      await turn;
      running.delete(turn);
      every(job, ms, work);
    }, ms);
    timer.unref();
    timers.add(timer);
  }

  return {
    every,
    async stop(): Promise<void> {
      isStopping = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
