import assert from 'node:assert/strict';
import { it } from 'node:test';
import { spansOf, unitOf } from './spans.ts';

const day = (date: string, downloads = 1) => ({ date, downloads, bytes: downloads * 10 });

it('has a bar for each day of a short period, also for days without downloads', () => {
  assert.deepEqual(spansOf('2026-11-29', '2026-12-01', [day('2026-11-29', 2), day('2026-12-01')]), [
    { from: '2026-11-29', to: '2026-11-29', downloads: 2, bytes: 20 },
    { from: '2026-11-30', to: '2026-11-30', downloads: 0, bytes: 0 },
    { from: '2026-12-01', to: '2026-12-01', downloads: 1, bytes: 10 },
  ]);
});

it('groups a longer period by weeks from Monday to Sunday, cut to the period', () => {
  // 1 January 2026 is a Thursday.
  const spans = spansOf('2026-01-01', '2026-12-31', [day('2026-01-04'), day('2026-01-05'), day('2026-12-31')]);
  assert.equal(unitOf('2026-01-01', '2026-12-31'), 'week');
  assert.deepEqual(spans[0], { from: '2026-01-01', to: '2026-01-04', downloads: 1, bytes: 10 });
  assert.deepEqual(spans[1], { from: '2026-01-05', to: '2026-01-11', downloads: 1, bytes: 10 });
  assert.deepEqual(spans.at(-1), { from: '2026-12-28', to: '2026-12-31', downloads: 1, bytes: 10 });
});

it('groups years by months, and loses no download', () => {
  const days = Array.from({ length: 40 }, (_, index) =>
    day(`20${24 + Math.floor(index / 20)}-02-${10 + (index % 19)}`),
  ).toSorted((one, other) => (one.date < other.date ? -1 : 1));
  const spans = spansOf('2024-01-15', '2026-12-31', days);
  assert.equal(unitOf('2024-01-15', '2026-12-31'), 'month');
  assert.equal(spans.length, 36);
  assert.deepEqual([spans[0]!.to, spans[1]!.to], ['2024-01-31', '2024-02-29']);
  assert.equal(
    spans.reduce((sum, span) => sum + span.downloads, 0),
    40,
  );
});

it('is one bar for one day', () => {
  assert.equal(spansOf('2026-11-16', '2026-11-16', []).length, 1);
});
