// Bounded waiting for another process or part of the program. A wait that fails names its condition.
import { setTimeout as pause } from 'node:timers/promises';

/** Checks may be expensive (start a process, read /proc), so their interval grows. */
const checkIntervalMs = { soonest: 25, latest: 100, shareOfWait: 1 / 50 };
/** Ten times what a busy machine needs. */
const usualTimeoutMs = 240_000;

/** The first result of `check` that is not null, undefined or false. A check that throws is repeated. */
export async function eventually<Found>(
  what: string,
  check: () => Promise<Found | null | undefined | false>,
  timeoutMs = usualTimeoutMs,
): Promise<Found> {
  const begunAt = performance.now();
  let lastError: unknown = null;
  for (;;) {
    try {
      const found = await check();
      if (found !== null && found !== undefined && found !== false) return found;
      lastError = null;
    } catch (error) {
      lastError = error;
    }
    const waitedMs = performance.now() - begunAt;
    if (waitedMs > timeoutMs) {
      throw new Error(`waited ${timeoutMs / 1000} s in vain: ${what}`, { cause: lastError });
    }
    const { soonest, latest, shareOfWait } = checkIntervalMs;
    await pause(Math.min(Math.max(soonest, waitedMs * shareOfWait), latest));
  }
}

export function until<Found>(check: () => Promise<Found | null | undefined | false>): Promise<Found> {
  return eventually('the condition of the test', check);
}

/** The duration of a step in milliseconds, for bounds relative to the speed of the machine. */
export async function clocked(step: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now();
  await step();
  return performance.now() - begunAt;
}
