// People and programs act on the end of `npm test`, so it must name every failure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileResult } from './test-process.ts';
import { startReport } from './test-report.ts';
import type { Verdict } from './test-reporter.ts';

const passed: Verdict = { name: 'works', isSuite: false, outcome: 'passed', durationMs: 1, error: null };
const failed: Verdict = {
  ...passed,
  name: 'breaks',
  outcome: 'failed',
  error: 'Error: deep trouble\n    at somewhere',
};

function resultOf(path: string, ...verdicts: Verdict[]): FileResult {
  return { path, verdicts, durationMs: 1, output: '' };
}

function start() {
  const lines: string[] = [];
  const report = startReport({ withNames: false, print: (line) => void lines.push(line) });
  const finish = () => {
    const code = report.finish();
    const text = lines.join('\n');
    return { code, last: lines.at(-1), end: text.slice(text.search(/^failed/m)) };
  };
  return { report, finish };
}

test('a failure is repeated at the end, with its reason', () => {
  const { report, finish } = start();
  report.add(resultOf('one.test.ts', passed, failed));
  const { code, last, end } = finish();
  assert.equal(code, 1);
  assert.equal(last, '1 passed, 1 failed');
  assert.match(end, /^failed:\n {4}✖ one\.test\.ts: breaks\n {8}Error: deep trouble\n/);
});

test('a file that fails at both tries has failed, and counts once', () => {
  const { report, finish } = start();
  report.add(resultOf('one.test.ts', passed, failed));
  assert.deepEqual(report.failedFiles(), ['one.test.ts']);
  report.addSecond(resultOf('one.test.ts', passed, failed));
  const { code, last } = finish();
  assert.equal(code, 1);
  assert.equal(last, '1 passed, 1 failed');
});

test('a file that passes at its second try passes, and its first failure is reported with the reason', () => {
  const { report, finish } = start();
  report.add(resultOf('one.test.ts', passed, failed));
  report.add(resultOf('two.test.ts', passed));
  report.addSecond(resultOf('one.test.ts', passed, { ...passed, name: 'breaks' }));
  const { code, last, end } = finish();
  assert.equal(code, 0);
  assert.equal(last, '3 passed, 0 failed, 1 at the second try');
  assert.match(end, /^failed, and passed when run again .*\n {4}✖ one\.test\.ts: breaks\n {8}Error: deep trouble\n/);
});

test('a second try whose process fails after its last test has failed', () => {
  const { report, finish } = start();
  report.add(resultOf('one.test.ts', failed));
  report.addSecond(resultOf('one.test.ts', passed));
  report.addSecond(resultOf('one.test.ts', { ...failed, isSuite: true, name: 'after its last test' }));
  const { code, last } = finish();
  assert.equal(code, 1);
  assert.equal(last, '1 passed, 1 failed, 1 at the second try');
});
