// Gets connections of a pool. When the server has none left, callers wait for one of those that are open.
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { isOutOfConnections } from './postgres-errors.ts';

/** How long to wait for a connection at the limit. The pool has a shorter limit for an unreachable server. */
const waitMs = 10_000;
const lookAgainMs = 50;
/** How long no new connection is tried after a refusal, if others are open. */
const noGrowthMs = 5000;

export function createPatientPool(pool: pg.Pool): () => Promise<pg.PoolClient> {
  const wanted = pool.options.max;
  let timer: NodeJS.Timeout | null = null;

  /** Waiting callers get the next connection that is returned. */
  function stopGrowing(): void {
    pool.options.max = Math.max(1, pool.totalCount);
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      pool.options.max = wanted;
    }, noGrowthMs).unref();
  }

  return async () => {
    const deadline = performance.now() + waitMs;
    for (;;) {
      try {
        return await pool.connect();
      } catch (error) {
        if (!isOutOfConnections(error) || performance.now() >= deadline) throw error;
        stopGrowing();
        await pause(lookAgainMs);
      }
    }
  };
}
