// What a background job is.
import type { Ctx } from '../actions/context.ts';

export interface Job {
  name: string;
  everyMs: number;
  /**
   * One run in bounded batches; returns a sentence that is kept for operators. May throw `HeldBack`. It writes through the
   * `ctx` it is given and no other, because that one checks the lease.
   */
  run(ctx: Ctx, options: RunOptions): Promise<string>;
  /** Each of its steps has its own lease, and what was begun is finished even if another process took the job over. */
  hasOwnLeases?: true;
  /** Neither sends nor erases anything, so that it also runs in a restored copy (installation/quarantine.ts). */
  isHarmless?: true;
}

export interface RunOptions {
  /** An operator has looked and released the brake for this run. */
  isConfirmed: boolean;
}
