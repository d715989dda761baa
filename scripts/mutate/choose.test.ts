// Which tests a fault is shown to: those that know its file best, first; none that are too expensive.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fittingTests, testsFor } from './choose.ts';
import type { Fault } from './plant.ts';

const graph = new Map<string, string[]>([
  ['server/lib/dates.ts', []],
  ['server/lib/dates.test.ts', ['server/lib/dates.ts']],
  ['server/domain/expiry.ts', ['server/lib/dates.ts']],
  ['server/domain/expiry.test.ts', ['server/domain/expiry.ts']],
  ['server/db/uploads/uploads.ts', []],
  ['server/actions/uploads/parts.ts', ['server/db/uploads/uploads.ts']],
  ['test/api/uploads.test.ts', []],
  ['test/api/upload-pieces.test.ts', ['server/actions/uploads/parts.ts']],
  ['test/api/messages.test.ts', []],
  ['test/models/uploads.test.ts', []],
  ['test/faults/uploads.test.ts', ['server/db/uploads/uploads.ts']],
  ['test/faults/mistakes.test.ts', []],
  ['test/faults/power.test.ts', []],
  ['web/app/e2e/uploads.test.ts', ['server/db/uploads/uploads.ts']],
  ['server/actions/secrets/show.ts', []],
  ['server/http/api/keys.ts', ['server/actions/secrets/show.ts']],
  ['test/api/people.test.ts', []],
  ['test/import-rules.test.ts', ['server/db/uploads/uploads.ts']],
]);

test('the upload engine is shown to the command line, which sends with it in a process of its own', () => {
  const files = ['transfer/engine.ts', 'test/cli/sending.test.ts', 'test/cli/signing-in.test.ts'];
  const small = new Map<string, string[]>(files.map((file) => [file, []]));
  assert.deepEqual(
    fittingTests(small, 'transfer/engine.ts', () => ''),
    ['test/cli/sending.test.ts'],
  );
});

const texts: Record<string, string> = {
  'server/http/api/keys.ts': "serve('showKey', show); serve('endKey', end);",
  'test/api/people.test.ts': "await alice.expect(200, 'showKey'); await alice.expect(200, 'endKey');",
};
const textOf = (path: string) => texts[path] ?? '';

test('unit tests come by imports, the nearest first', () => {
  assert.deepEqual(fittingTests(graph, 'server/lib/dates.ts', textOf), [
    'server/lib/dates.test.ts',
    'server/domain/expiry.test.ts',
    'test/faults/mistakes.test.ts',
  ]);
});

test('tests of the service come by imports, then by noun, and those of other nouns not at all', () => {
  const tests = fittingTests(graph, 'server/actions/uploads/parts.ts', textOf);
  assert.equal(tests[0], 'test/api/upload-pieces.test.ts');
  assert.deepEqual(tests.slice(1, 3).toSorted(), ['test/api/uploads.test.ts', 'test/models/uploads.test.ts']);
  assert.deepEqual(tests.slice(3), ['test/faults/uploads.test.ts', 'test/faults/mistakes.test.ts']);
});

test('neither browsers nor the walls are tried, and those that start the program last', () => {
  const tests = fittingTests(graph, 'server/db/uploads/uploads.ts', textOf);
  assert.deepEqual(tests.slice(-2), ['test/faults/uploads.test.ts', 'test/faults/mistakes.test.ts']);
  for (const one of tests.slice(0, -2)) assert.match(one, /^test\/(api|models)\//);
});

test('what all others have missed is shown to those that start the program', () => {
  const programs = ['1', '2', '3', '4', '5', '6', '7'].map((name) => `test/faults/${name}.test.ts`);
  const all = ['b', ...programs];
  assert.deepEqual(testsFor(fault, [], all), { best: ['b', ...programs.slice(0, 6)], rest: [], withServers: true });
  assert.deepEqual(testsFor(fault, [observed('b', [7])], all), {
    best: ['b'],
    rest: programs.slice(0, 2),
    withServers: false,
  });
});

test('a test that makes the calls which lead to a file is shown its faults, whatever it is named', () => {
  assert.deepEqual(fittingTests(graph, 'server/actions/secrets/show.ts', textOf), [
    'test/api/people.test.ts',
    'test/faults/mistakes.test.ts',
  ]);
});

const fault: Fault = { path: 'a.ts', line: 1, kind: 'flag', start: 7, end: 8, replacement: '' };
const observed = (path: string, offsets: number[], durationMs = 1_000) => ({
  path,
  durationMs,
  reached: { 'a.ts': offsets },
});

test('a fault is shown to the files that run its place: those that fit, then the quick ones', () => {
  const all = [observed('slow', [7], 9_000), observed('quick', [1, 7]), observed('other', [1]), observed('fits', [7])];
  assert.deepEqual(testsFor(fault, all, ['other', 'fits']), {
    best: ['fits', 'quick', 'slow'],
    rest: [],
    withServers: false,
  });
});

test('a place that most of them run is shown to the best of them first, however long that takes', () => {
  const all = [observed('fits', [7], 500_000), observed('quick', [7])];
  assert.deepEqual(testsFor(fault, all, ['fits']), { best: ['fits'], rest: ['quick'], withServers: false });
});

test('a place that none of them runs is shown to those that run its file, and without any to those that fit', () => {
  const ofFile = testsFor(fault, [observed('other', [1])], ['b', 'c']);
  assert.deepEqual(ofFile, { best: ['other'], rest: [], withServers: true });
  assert.deepEqual(testsFor(fault, [], ['b', 'c']), { best: ['b', 'c'], rest: [], withServers: true });
});
