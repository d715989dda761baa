// Waiting for what another process or another part of the program does in its own time. Always bounded, and a wait in
// vain says what was waited for; never a pause that hopes to be long enough.
import { setTimeout as pause } from 'node:timers/promises';

/** A look may start a process or read all of /proc, so whoever has waited for long looks less often. */
const lookAgainMs = { soonest: 25, latest: 100, shareOfWait: 1 / 50 };
/** Long enough for a machine that has ten times as much to do: only a fault waits for its end. */
const usualTimeoutMs = 240_000;

/** The first answer of `look` that is not null, undefined or false. A look that throws counts as "not yet". */
export async function eventually<Found>(
  what: string,
  look: () => Promise<Found | null | undefined | false>,
  timeoutMs = usualTimeoutMs,
): Promise<Found> {
  const begunAt = performance.now();
  let lastError: unknown = null;
  for (;;) {
    try {
      const found = await look();
      if (found !== null && found !== undefined && found !== false) return found;
      lastError = null;
    } catch (error) {
      lastError = error;
    }
    const waitedMs = performance.now() - begunAt;
    if (waitedMs > timeoutMs) {
      throw new Error(`waited ${timeoutMs / 1000} s in vain: ${what}`, { cause: lastError });
    }
    const { soonest, latest, shareOfWait } = lookAgainMs;
    await pause(Math.min(Math.max(soonest, waitedMs * shareOfWait), latest));
  }
}

/** The same, where the test itself says what it waits for. */
export function until<Found>(look: () => Promise<Found | null | undefined | false>): Promise<Found> {
  return eventually('what the test looks for', look);
}

/** How many milliseconds a step takes, for bounds that follow what the machine can do now. */
export async function clocked(step: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now();
  await step();
  return performance.now() - begunAt;
}
