import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Metric } from '../lib/metrics.ts';
import { createMetricsCollector, type MetricsCollector, type MetricsSource } from './collect-metrics.ts';

function counted(requests: number): Metric[] {
  return [
    { name: 'requests_total', help: '', type: 'counter', samples: [['', requests]] },
    { name: 'workers', help: '', type: 'gauge', samples: [['', 1]] },
  ];
}

/** A worker that replies immediately. */
function worker(collector: MetricsCollector, id: number, requests: number): MetricsSource {
  const links: Metric[] = [{ name: 'links', help: '', type: 'gauge', samples: [['', 9]] }];
  return {
    id,
    ask: (number, includesInstallation) =>
      collector.answered(id, number, { own: counted(requests), installation: includesInstallation ? links : [] }),
  };
}

function valuesOf(metrics: Metric[]): Record<string, number> {
  return Object.fromEntries(metrics.map(({ name, samples }) => [name, samples[0]![1]]));
}

describe('metrics of several workers', () => {
  test('are summed, and those of the installation are included once', async () => {
    const collector = createMetricsCollector();
    const metrics = await collector.collect([worker(collector, 1, 5), worker(collector, 2, 7)]);
    assert.deepEqual(valuesOf(metrics), { requests_total: 12, workers: 2, links: 9 });
  });

  test('keep the counters of an ended worker, but not its gauges', async () => {
    const collector = createMetricsCollector();
    await collector.collect([worker(collector, 1, 5), worker(collector, 2, 7)]);
    collector.ended(1);
    const metrics = await collector.collect([worker(collector, 2, 8), worker(collector, 3, 1)]);
    assert.deepEqual(valuesOf(metrics), { requests_total: 14, workers: 2, links: 9 });
  });

  test('take those of the installation from the worker that has some, not from the first reply', async () => {
    const collector = createMetricsCollector();
    const idle: MetricsSource = {
      id: 1,
      ask: (number) => collector.answered(1, number, { own: counted(2), installation: [] }),
    };
    const speaking = worker(collector, 2, 3);
    const loud: MetricsSource = { id: 2, ask: (number) => speaking.ask(number, true) };
    assert.deepEqual(valuesOf(await collector.collect([idle, loud])), { requests_total: 5, workers: 2, links: 9 });
  });

  test('are not delayed by a worker that dies while it is asked', async () => {
    const collector = createMetricsCollector();
    const dying: MetricsSource = { id: 1, ask: () => collector.ended(1) };
    assert.deepEqual(valuesOf(await collector.collect([dying, worker(collector, 2, 3)])), {
      requests_total: 3,
      workers: 1,
    });
  });
});
