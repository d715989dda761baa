// What is known of test files from the last time, and what is looked at again.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { observe, placesOf } from './observe.ts';
import type { Fault } from './plant.ts';

const fault: Fault = { path: 'a.ts', line: 1, kind: 'flag', start: 0, end: 1, replacement: '' };

test('a place is inside of a function or outside of all', () => {
  const text = 'const a = 1;\nconst b = () => 2;';
  const places = placesOf(
    [
      { ...fault, start: text.indexOf('1') },
      { ...fault, start: text.indexOf('2') },
    ],
    () => text,
  );
  assert.deepEqual(
    places['a.ts']!.map(({ isInFunction }) => isInFunction),
    [false, true],
  );
});

test('only test files that are new or changed are run, and of changed code every place counts as run by those that ran any', async (t) => {
  const keepIn = mkdtempSync(join(tmpdir(), 'waybill-observe-'));
  t.after(() => rmSync(keepIn, { recursive: true }));
  const texts: Record<string, string> = { 'a.ts': 'a', 'b.ts': 'b', 'a.test.ts': 'test a', 'b.test.ts': 'test b' };
  for (let other = 0; other < 10; other++) texts[`other-${other}.ts`] = '';
  const places = Object.fromEntries(
    ['a.ts', 'b.ts'].map((path) => [path, [3, 8].map((offset) => ({ offset, isInFunction: true }))]),
  );
  const look = async (lostAt = '') => {
    const runs: string[] = [];
    const found = await observe(
      { keepIn, graph: new Map(Object.keys(texts).map((path) => [path, []])), textOf: (path) => texts[path]!, places },
      {
        tests: Object.keys(texts).filter((path) => path.endsWith('.test.ts')),
        async run(tests, reportPath) {
          for (const path of tests) {
            runs.push(path);
            const line = JSON.stringify({ path, durationMs: 1, reached: { 'a.ts': [3], 'b.ts': [8] } });
            // Half of a line, as if the run had been ended here.
            if (path === lostAt) return appendFileSync(reportPath, line.slice(0, 9));
            appendFileSync(reportPath, `${line}\n`);
          }
        },
      },
    );
    return { runs, reached: Object.fromEntries(found.map((one) => [one.path, one.reached])) };
  };
  assert.deepEqual((await look('b.test.ts')).runs, ['a.test.ts', 'b.test.ts']);
  assert.deepEqual((await look()).runs, ['b.test.ts'], 'what was found before the run was interrupted is kept');
  assert.deepEqual((await look()).runs, []);
  texts['a.ts'] = 'changed';
  texts['a.test.ts'] = 'changed';
  texts['c.test.ts'] = 'new';
  const { runs, reached } = await look();
  assert.deepEqual(runs, ['a.test.ts', 'c.test.ts']);
  assert.deepEqual(reached['a.test.ts'], { 'a.ts': [3], 'b.ts': [8] });
  assert.deepEqual(reached['b.test.ts'], { 'a.ts': [3, 8], 'b.ts': [8] });
  assert.deepEqual(reached['c.test.ts'], { 'a.ts': [3], 'b.ts': [8] });
});
