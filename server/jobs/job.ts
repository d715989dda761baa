import type { Ctx } from '../actions/context.ts';

export interface Job {
  name: string;
  everyMs: number;
  /**
   * Runs in bounded batches and returns a sentence for operators. May throw `HeldBack`. MUST write through the given
   * `ctx` only, because it checks the lease.
   */
  run(ctx: Ctx, options: RunOptions): Promise<string>;
  /** Each step has its own lease, and completes even if another process has taken over the job. */
  hasOwnLeases?: true;
  /** Neither sends nor erases anything, so it also runs in a restored copy (installation/quarantine.ts). */
  isHarmless?: true;
}

export interface RunOptions {
  /** An operator has confirmed this run, so the safety limit does not apply. */
  isConfirmed: boolean;
}
