// The runner of test files must notice every way in which a file can go wrong: a test command that cannot fail is none.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runTestFile } from './test-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-runner-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function run(name: string, body: string, limits = { timeLimitMs: 60_000, testLimitMs: 60_000 }) {
  const path = `${name}.test.ts`;
  writeFileSync(join(folder, path), `import { describe, test, before, after } from 'node:test';\n${body}`);
  const result = await runTestFile({ root: folder, path, scratch: folder, ...limits, env: process.env });
  return { outcomes: result.verdicts.map((verdict) => verdict.outcome), last: result.verdicts.at(-1), result };
}

test('a failing test fails, with its whole error, and what the file printed is kept', async () => {
  const { outcomes, result } = await run(
    'fails',
    `describe('a suite', () => {
       test('breaks', () => { console.log('hello'); throw new Error('deep trouble'); });
       test('works', () => {});
     });`,
  );
  assert.deepEqual(outcomes, ['failed', 'passed']);
  assert.equal(result.verdicts[0]?.name, 'a suite › breaks');
  assert.match(result.verdicts[0]?.error ?? '', /deep trouble[\s\S]*fails\.test\.ts:3/);
  assert.match(result.output, /hello/);
});

test('a file that does not load fails', async () => {
  const { outcomes, last, result } = await run('crashes', `import './missing.ts';\ntest('never', () => {});`);
  assert.deepEqual(outcomes, ['failed']);
  assert.match(last?.error ?? '', /ended with code 1 before its tests were over/);
  assert.match(result.output, /missing\.ts/);
});

test('a file without tests fails', async () => {
  const { outcomes } = await run('empty', 'export const nothing = [describe, test, before, after];');
  assert.deepEqual(outcomes, ['failed']);
});

test('a file that leaves in the middle fails, also with code 0', async () => {
  const { outcomes } = await run(
    'leaves',
    `test('a', () => {});\ntest('b', () => process.exit(0));\ntest('c', () => {});`,
  );
  assert.equal(outcomes.at(-1), 'failed');
});

test('an error after the last test fails', async () => {
  const { last } = await run('late', `test('a', () => {});\nsetTimeout(() => { throw new Error('too late'); }, 20);`);
  assert.equal(last?.outcome, 'failed');
  assert.match(last?.error ?? '', /too late/);
});

test('a broken hook fails', async () => {
  const { outcomes } = await run(
    'hook',
    `describe('s', () => { after(() => { throw new Error(); }); test('a', () => {}); });`,
  );
  assert.deepEqual(outcomes, ['passed', 'failed']);
});

test('a test that never ends fails by name, and the next one still runs', async () => {
  const limits = { timeLimitMs: 60_000, testLimitMs: 500 };
  const { outcomes } = await run('hangs', `test('a', () => new Promise(() => {}));\ntest('b', () => {});`, limits);
  assert.deepEqual(outcomes, ['failed', 'passed']);
});

test('a file that never ends is ended, and told why', async () => {
  const limits = { timeLimitMs: 5_000, testLimitMs: 60_000 };
  const { outcomes, last } = await run('open', `test('a', () => { setInterval(() => {}, 1_000); });`, limits);
  assert.deepEqual(outcomes, ['passed', 'failed']);
  assert.match(last?.error ?? '', /No test was running/);
});

test('what passes, passes; what is skipped or to be done is neither', async () => {
  const { outcomes } = await run('passes', `test('a', () => {});\ntest.skip('b', () => {});\ntest.todo('c');`);
  assert.deepEqual(outcomes, ['passed', 'skipped', 'todo']);
});
