// Looks at what we depend on while it runs. The log says once what is wrong, and once that it is right again.
import type { Log } from '../domain/ports.ts';

export interface Look {
  /** As in the log and in /readyz. */
  name: string;
  /** What is wrong, as a sentence for operators; null when all is well. */
  look(): Promise<string | null>;
}

export interface Watch {
  /** Looks at everything once. Never rejects. */
  look(): Promise<void>;
}

export function createWatch(log: Log, looks: readonly Look[]): Watch {
  const faults = new Map<string, string>();

  function tell(name: string, fault: string | null): void {
    if (fault !== null && !faults.has(name)) log.error({ check: name }, fault);
    if (fault === null && faults.has(name)) log.info({ check: name }, `${name}: right again`);
    if (fault === null) faults.delete(name);
    else faults.set(name, fault);
  }

  return {
    async look() {
      for (const { name, look } of looks) {
        tell(name, await look().catch((error: unknown) => (error instanceof Error ? error.message : String(error))));
      }
    },
  };
}
