// Checks dependencies at the start and while running. Logs each fault once, and its end once.
import type { Log } from '../domain/ports.ts';

export interface Look {
  /** As in the log and in /readyz. */
  name: string;
  /** Interval while the check passes, by default every run. A failing check repeats on every run. */
  everyMs?: number;
  /** A sentence for operators; null when all is well. */
  look(): Promise<string | null>;
}

export interface Watch {
  /** Runs the checks that are due. Never rejects. */
  look(): Promise<void>;
}

export function createWatch(log: Log, looks: readonly Look[]): Watch {
  const faults = new Map<string, string>();
  const lookedAt = new Map<string, number>();

  function tell(name: string, fault: string | null): void {
    if (fault !== null && !faults.has(name)) log.error({ check: name }, fault);
    if (fault === null && faults.has(name)) log.info({ check: name }, `${name}: right again`);
    if (fault === null) faults.delete(name);
    else faults.set(name, fault);
  }

  const isDue = ({ name, everyMs = 0 }: Look, now: number) =>
    faults.has(name) || now - (lookedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= everyMs;

  return {
    async look() {
      const now = performance.now();
      for (const entry of looks.filter((candidate) => isDue(candidate, now))) {
        lookedAt.set(entry.name, now);
        const found = entry.look().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
        tell(entry.name, await found);
      }
    },
  };
}
