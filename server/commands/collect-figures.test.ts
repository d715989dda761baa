import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Figure } from '../lib/metrics.ts';
import { createFigureCollector, type FigureCollector, type FigureSource } from './collect-figures.ts';

function counted(requests: number): Figure[] {
  return [
    { name: 'requests_total', help: '', type: 'counter', samples: [['', requests]] },
    { name: 'workers', help: '', type: 'gauge', samples: [['', 1]] },
  ];
}

/** A worker that replies at once, with amounts of the installation when it is asked to speak for it. */
function worker(collector: FigureCollector, id: number, requests: number): FigureSource {
  const links: Figure[] = [{ name: 'links', help: '', type: 'gauge', samples: [['', 9]] }];
  return {
    id,
    ask: (number, isSpokesman) =>
      collector.answered(id, number, { own: counted(requests), installation: isSpokesman ? links : [] }),
  };
}

function valuesOf(figures: Figure[]): Record<string, number> {
  return Object.fromEntries(figures.map(({ name, samples }) => [name, samples[0]![1]]));
}

describe('figures of several workers', () => {
  test('are added up, and amounts of the installation are there once', async () => {
    const collector = createFigureCollector();
    const figures = await collector.collect([worker(collector, 1, 5), worker(collector, 2, 7)]);
    assert.deepEqual(valuesOf(figures), { requests_total: 12, workers: 2, links: 9 });
  });

  test('what a dead worker has counted stays, itself it is gone', async () => {
    const collector = createFigureCollector();
    await collector.collect([worker(collector, 1, 5), worker(collector, 2, 7)]);
    collector.ended(1);
    const figures = await collector.collect([worker(collector, 2, 8), worker(collector, 3, 1)]);
    assert.deepEqual(valuesOf(figures), { requests_total: 14, workers: 2, links: 9 });
  });

  test('amounts of the installation are those of whoever has some, not of whoever answers first', async () => {
    const collector = createFigureCollector();
    const idle: FigureSource = {
      id: 1,
      ask: (number) => collector.answered(1, number, { own: counted(2), installation: [] }),
    };
    const speaking = worker(collector, 2, 3);
    const loud: FigureSource = { id: 2, ask: (number) => speaking.ask(number, true) };
    assert.deepEqual(valuesOf(await collector.collect([idle, loud])), { requests_total: 5, workers: 2, links: 9 });
  });

  test('one that dies while it is asked holds nobody up', async () => {
    const collector = createFigureCollector();
    const dying: FigureSource = { id: 1, ask: () => collector.ended(1) };
    assert.deepEqual(valuesOf(await collector.collect([dying, worker(collector, 2, 3)])), {
      requests_total: 3,
      workers: 1,
    });
  });
});
