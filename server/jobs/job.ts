import type { Ctx } from '../actions/context.ts';

export interface Job {
  name: string;
  everyMs: number;
  /**
   * Runs in bounded batches and returns a sentence for operators. MUST write through the given `ctx`, which checks the
   * lease.
   */
  run(ctx: Ctx, options: RunOptions): Promise<string>;
  /** Steps have their own leases, and complete even if another process takes over. */
  hasOwnLeases?: true;
  /** Ends a running step early. */
  stop?(): void;
  /** Also runs in a restored copy, because it neither sends nor erases. */
  isHarmless?: true;
}

export interface RunOptions {
  /** Switches the safety limit off for this run. */
  isConfirmed: boolean;
}
