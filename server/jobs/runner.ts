// Runs the background jobs: each at its own pace, one process at a time by a lease, never two runs of one job at once.
// A failing job is logged and tried again; it never takes the process down.
import type { Ctx } from '../actions/context.ts';
import { endLease, findJob, holdJob, takeLease } from '../db/jobs.ts';
import { HeldBack, startWatchingClock } from './brake.ts';

export interface Job {
  name: string;
  everyMs: number;
  /** One bounded run; the sentence it answers is kept for operators. May throw `HeldBack`. */
  run(ctx: Ctx, options: RunOptions): Promise<string>;
}

export interface RunOptions {
  /** An operator has looked and says go on: the brake is off for this run. */
  isConfirmed: boolean;
}

export interface JobRunner {
  start(): void;
  /** Only the upkeep of this process, for processes that serve but run no jobs. */
  startUpkeep(): void;
  /** Runs one job now, lease and brake included; null when another process has it. */
  runOnce(name: string, options?: RunOptions): Promise<string | null>;
  stop(): Promise<void>;
}

const leaseMs = 10 * 60_000;
const upkeepMs = 1500;

export function createJobRunner(ctx: Ctx, jobs: readonly Job[], hooks: { upkeep(): Promise<void> }): JobRunner {
  const holder = ctx.random.id();
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<unknown>>();
  let isStopping = false;
  startWatchingClock(ctx);

  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    running.add(work);
    const forget = () => running.delete(work);
    work.then(forget, forget);
    return work;
  };

  const every = (ms: number, work: () => Promise<unknown>): void => {
    const again = () => {
      if (isStopping) return;
      const timer = setTimeout(async () => {
        timers.delete(timer);
        await track(work()).catch((error: unknown) =>
          ctx.log.error({ err: describe(error) }, 'a background job failed'),
        );
        again();
      }, ms);
      timer.unref();
      timers.add(timer);
    };
    again();
  };

  const runOnce: JobRunner['runOnce'] = async (name, options = { isConfirmed: false }) => {
    const job = jobs.find((candidate) => candidate.name === name);
    if (job === undefined) throw new Error(`there is no job ${name}`);
    const isOurs = await ctx.db.write((tx) => takeLease(tx, name, holder, ctx.clock.now(), leaseMs));
    if (!isOurs) return null;
    let note = 'failed';
    try {
      note = await runHeld(job, options);
      return note;
    } finally {
      await ctx.db.write((tx) => endLease(tx, name, holder, ctx.clock.now(), note));
    }
  };

  /** A held job stays held until an operator confirms; a run that trips the brake holds it. */
  const runHeld = async (job: Job, options: RunOptions): Promise<string> => {
    const held = (await findJob(ctx.db.read, job.name))?.held_because ?? null;
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
  };

  const startUpkeep = () => every(upkeepMs, hooks.upkeep);
  return {
    runOnce,
    startUpkeep,
    start() {
      startUpkeep();
      for (const job of jobs) every(job.everyMs, () => runOnce(job.name));
    },
    async stop() {
      isStopping = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.allSettled(running);
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
