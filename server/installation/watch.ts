// Looks at what we depend on, when starting and while it runs. The log says once what is wrong, in the words of whoever
// said so, and once that it is right again.
import type { Log } from '../domain/ports.ts';

export interface Look {
  /** As in the log and in /readyz. */
  name: string;
  /** How often to look while all is well; each time unless said. What is wrong is looked at each time. */
  everyMs?: number;
  /** What is wrong, as a sentence for operators; null when all is well. */
  look(): Promise<string | null>;
}

export interface Watch {
  /** Looks at what is due. Never rejects. */
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
