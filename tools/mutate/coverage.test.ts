import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rangesThatRan, type TestCoverage, testsFor } from './coverage.ts';

const ranges = (...list: [number, number, number][]) => ({
  functionName: 'f',
  isBlockCoverage: true,
  ranges: list.map(([startOffset, endOffset, count]) => ({ startOffset, endOffset, count })),
});

test('branches that did not run are left out, and so are functions that were not called and the file itself', () => {
  const functions = [ranges([0, 100, 1]), ranges([10, 50, 2], [20, 30, 0], [35, 40, 3]), ranges([60, 70, 0])];
  assert.deepEqual(rangesThatRan(functions), [
    [10, 20],
    [30, 50],
  ]);
});

const covered = (name: string, durationMs: number, ran: [number, number][], digest = 'now'): TestCoverage => ({
  test: name,
  durationMs,
  files: { 'a.ts': { digest, ran } },
});
const fault = { path: 'a.ts', start: 15, digest: 'now' };

test('a fault is tested by the test files that run its place, the quickest first', () => {
  const coverage = [covered('slow', 9, [[10, 20]]), covered('quick', 1, [[10, 20]]), covered('other', 1, [[30, 40]])];
  assert.deepEqual(testsFor(fault, coverage), ['quick', 'slow']);
});

test('a fault in a file that has changed since is tested by all that run its file', () => {
  assert.deepEqual(testsFor(fault, [covered('other', 1, [[30, 40]], 'before')]), ['other']);
});

test('a fault in code that no test runs has no test files', () => {
  assert.deepEqual(testsFor(fault, [covered('other', 1, [])]), []);
});
