// Checks dependencies at the start and while running. Logs each fault once, and its end once; other lines about a faulty
// dependency are of level debug.
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
  /** Names of the failing checks. */
  failing(): string[];
}

/** The log of the service, and what it knows to be faulty. */
export interface OutageLog extends Log {
  fault(name: string, sentence: string): void;
  /** Ignored if an error of it came since the last call. */
  worksAgain(name: string): void;
  failing(): string[];
}

/** A dependency by the class of its errors, as in the fact `err` of a line. */
export interface Dependency {
  name: string;
  error: RegExp;
  /** Lines of these errors belong to the outage while it is faulty. */
  alike?: RegExp;
  sentence(error: string): string;
}

export function createOutageLog(log: Log, dependencies: readonly Dependency[]): OutageLog {
  const faults = new Map<string, { since: number; isQuiet: boolean }>();

  function fault(name: string, sentence: string): void {
    if (!faults.has(name)) log.error({ check: name }, sentence);
    faults.set(name, { since: faults.get(name)?.since ?? performance.now(), isQuiet: false });
  }

  /** True if a line about an outage reports it already. */
  function isKnown({ err }: { err?: unknown }): boolean {
    if (typeof err !== 'string') return false;
    for (const { name, error, alike, sentence } of dependencies) {
      const isAlike = faults.has(name) && alike?.test(err) === true;
      if (!isAlike && !error.test(err)) continue;
      fault(name, sentence(err.split('\n', 1)[0]!.replace(/^\w+: /, '')));
      return true;
    }
    return false;
  }

  const write = (level: keyof Log) => (facts: object, sentence: string) => {
    log[isKnown(facts) ? 'debug' : level](facts, sentence);
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    fault,
    worksAgain(name) {
      const known = faults.get(name);
      if (known === undefined) return;
      if (!known.isQuiet && dependencies.some((dependency) => dependency.name === name)) {
        faults.set(name, { ...known, isQuiet: true });
        return;
      }
      faults.delete(name);
      const seconds = Math.round((performance.now() - known.since) / 1000);
      log.info({ check: name, seconds }, `${name}: works again`);
    },
    failing: () => [...faults.keys()],
  };
}

export function createWatch(log: OutageLog, checks: readonly HealthCheck[]): Watch {
  const checkedAt = new Map<string, number>();
  const isDue = ({ name, everyMs = 0 }: HealthCheck, now: number) =>
    log.failing().includes(name) || now - (checkedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= everyMs;

  return {
    failing: log.failing,
    async check() {
      const now = performance.now();
      for (const entry of checks.filter((candidate) => isDue(candidate, now))) {
        checkedAt.set(entry.name, now);
        const found = await entry
          .check()
          .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
        if (found === null) log.worksAgain(entry.name);
        else log.fault(entry.name, found);
      }
    },
  };
}
