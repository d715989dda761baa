// Lines of the log about checks (`check` in their facts): the supervisor logs what several workers find once.
import type { LineLog } from '../lib/log.ts';

export interface CheckLine {
  facts: { check: string };
  sentence: string;
  isFault: boolean;
}

/** In a worker. */
export function forwardCheckLines(log: LineLog, forward: (line: CheckLine) => void): LineLog {
  const through = (level: 'info' | 'error') => (facts: object, sentence: string) =>
    'check' in facts && typeof facts.check === 'string'
      ? forward({ facts: { ...facts, check: facts.check }, sentence, isFault: level === 'error' })
      : log[level](facts, sentence);
  return { ...log, info: through('info'), error: through('error') };
}

/** In the supervisor. */
export function createCheckLines(log: LineLog) {
  const faulty = new Map<string, Set<number>>();
  const workersOf = (check: string) => faulty.get(check) ?? new Set<number>();

  return {
    take(worker: number, { facts, sentence, isFault }: CheckLine): void {
      const workers = workersOf(facts.check);
      const isFirst = workers.size === 0;
      if (isFault) {
        if (isFirst) log.error(facts, sentence);
        faulty.set(facts.check, workers.add(worker));
      } else if (workers.delete(worker) && workers.size === 0) log.info(facts, sentence);
    },
    ended(worker: number): void {
      for (const workers of faulty.values()) workers.delete(worker);
    },
    failing: () => [...faulty].filter(([, workers]) => workers.size > 0).map(([check]) => check),
  };
}
