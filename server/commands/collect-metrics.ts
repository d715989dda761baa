// Sums the metrics of all workers, and the counters of workers that ended. A worker that does not reply in time counts
// with its last values.
import { countersOf, type Metric, sumMetrics } from '../lib/metrics.ts';

/** One worker also reports for the whole installation. */
export interface WorkerMetrics {
  own: Metric[];
  installation: Metric[];
}

export interface MetricsSource {
  id: number;
  ask(number: number, includesInstallation: boolean): void;
}

export interface MetricsCollector {
  collect(sources: readonly MetricsSource[]): Promise<Metric[]>;
  answered(id: number, number: number, metrics: WorkerMetrics): void;
  ended(id: number): void;
}

const patienceMs = 6_000;

export function createMetricsCollector(): MetricsCollector {
  const said = new Map<number, Metric[]>();
  const waiting = new Map<string, (metrics: WorkerMetrics | null) => void>();
  let ofEnded: Metric[] = [];
  let asked = 0;

  function ask(source: MetricsSource, number: number, includesInstallation: boolean): Promise<WorkerMetrics | null> {
    const key = `${source.id} ${number}`;
    const { promise, resolve } = Promise.withResolvers<WorkerMetrics | null>();
    const timer = setTimeout(() => resolve(null), patienceMs);
    waiting.set(key, resolve);
    source.ask(number, includesInstallation);
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(key);
    });
  }

  return {
    async collect(sources) {
      const number = ++asked;
      const replies = await Promise.all(sources.map((source, index) => ask(source, number, index === 0)));
      const installation = replies.find((reply) => reply !== null && reply.installation.length > 0)?.installation ?? [];
      return sumMetrics([...said.values(), ofEnded, installation]);
    },
    answered(id, number, metrics) {
      said.set(id, metrics.own);
      waiting.get(`${id} ${number}`)?.(metrics);
    },
    ended(id) {
      ofEnded = sumMetrics([ofEnded, countersOf(said.get(id) ?? [])]);
      said.delete(id);
      for (const [key, resolve] of waiting) if (key.startsWith(`${id} `)) resolve(null);
    },
  };
}
