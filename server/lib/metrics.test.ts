import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countersOf, createRegistry, sumMetrics, writeMetrics } from './metrics.ts';

describe('metrics', () => {
  test('are written in the format of Prometheus', () => {
    const registry = createRegistry();
    const requests = registry.counter('requests_total', 'Requests.');
    requests.of({ route: '/link/:id', status: '200' }).value += 2;
    requests.of({ route: '/link/:id', status: '200' }).value += 1;
    requests.of({ route: 'a "quoted\\ one\n', status: '404' }).value += 1;
    registry.gauge('free_bytes', 'Free.').of().value = 5e12;
    registry.gauge('never_set', 'A family without a number is left out.');
    assert.equal(
      writeMetrics(registry.snapshot()),
      `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{route="/link/:id",status="200"} 3
requests_total{route="a \\"quoted\\\\ one\\n",status="404"} 1
# HELP free_bytes Free.
# TYPE free_bytes gauge
free_bytes 5000000000000
`,
    );
  });

  test('a histogram counts each value in its bucket and all above it', () => {
    const registry = createRegistry();
    const took = registry.histogram('took_seconds', 'Time.', [0.1, 1]).of({ route: '/' });
    for (const value of [0.05, 0.1, 0.5, 30]) took.observe(value);
    assert.deepEqual(registry.snapshot()[0]!.samples, [
      ['_bucket{route="/",le="0.1"}', 2],
      ['_bucket{route="/",le="1"}', 3],
      ['_bucket{route="/",le="+Inf"}', 4],
      ['_sum{route="/"}', 30.65],
      ['_count{route="/"}', 4],
    ]);
  });

  test('of several processes are added up by their labels', () => {
    const [one, other] = [createRegistry(), createRegistry()];
    one.counter('bytes_total', 'Bytes.').of().value = 7;
    one.gauge('workers', 'Workers.').of().value = 1;
    const bytes = other.counter('bytes_total', 'Bytes.');
    bytes.of().value = 5;
    bytes.of({ kind: 'form' }).value = 1;
    other.gauge('workers', 'Workers.').of().value = 1;
    const sum = sumMetrics([one.snapshot(), other.snapshot()]);
    assert.deepEqual(
      sum.map(({ name, samples }) => [name, samples]),
      [
        [
          'bytes_total',
          [
            ['', 12],
            ['{kind="form"}', 1],
          ],
        ],
        ['workers', [['', 2]]],
      ],
    );
    assert.deepEqual(
      countersOf(sum).map(({ name }) => name),
      ['bytes_total'],
      'of a process that has ended its counters stay',
    );
  });
});
