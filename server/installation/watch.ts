// Checks dependencies at the start and while running. Logs each fault once, and its end once.
import type { Log } from '../domain/ports.ts';

export interface HealthCheck {
  /** As in the log and in /readyz. */
  name: string;
  /** Interval while the check passes, by default every run. A failing check repeats on every run. */
  everyMs?: number;
  /** A sentence for operators; null when all is well. */
  check(): Promise<string | null>;
}

export interface Watch {
  /** Runs the checks that are due. Never rejects. */
  check(): Promise<void>;
}

export function createWatch(log: Log, checks: readonly HealthCheck[]): Watch {
  const faults = new Map<string, string>();
  const checkedAt = new Map<string, number>();

  function report(name: string, fault: string | null): void {
    if (fault !== null && !faults.has(name)) log.error({ check: name }, fault);
    if (fault === null && faults.has(name)) log.info({ check: name }, `${name}: works again`);
    if (fault === null) faults.delete(name);
    else faults.set(name, fault);
  }

  const isDue = ({ name, everyMs = 0 }: HealthCheck, now: number) =>
    faults.has(name) || now - (checkedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= everyMs;

  return {
    async check() {
      const now = performance.now();
      for (const entry of checks.filter((candidate) => isDue(candidate, now))) {
        checkedAt.set(entry.name, now);
        const found = entry.check().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
        report(entry.name, await found);
      }
    },
  };
}
