// The runner of test files must notice every way in which a file can go wrong: a test command that cannot fail is none.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type FileResult, runLane, writeQueue } from './test-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-runner-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  outcomes: string[];
  last: FileResult['verdicts'][number] | undefined;
  result: FileResult;
}

/** The results of these files, in the order in which they came. */
async function runFiles(bodies: Record<string, string>, silenceLimitMs = 60_000): Promise<FileResult[]> {
  const paths = Object.keys(bodies).map((name) => `${name}.test.ts`);
  for (const [name, body] of Object.entries(bodies)) {
    const text = `import { describe, test, before, after } from 'node:test';\n${body}`;
    writeFileSync(join(folder, `${name}.test.ts`), text);
  }
  const results: FileResult[] = [];
  await runLane({
    root: folder,
    queuePath: writeQueue(folder, paths),
    scratch: folder,
    silenceLimitMs,
    env: process.env,
    add: (result) => void results.push(result),
  });
  return results;
}

async function run(name: string, body: string, silenceLimitMs?: number): Promise<Outcome> {
  const results = await runFiles({ [name]: body }, silenceLimitMs);
  const verdicts = results.flatMap((result) => result.verdicts);
  return { outcomes: verdicts.map(({ outcome }) => outcome), last: verdicts.at(-1), result: results[0]! };
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
  const { outcomes, last } = await run('crashes', `import './missing.ts';\ntest('never', () => {});`);
  assert.deepEqual(outcomes, ['failed']);
  assert.match(last?.error ?? '', /missing\.ts/);
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

test('an error beside a running test fails, in the file that it belongs to', async () => {
  const body = (error: string) => `test('a', async () => {
    ${error}
    await new Promise((done) => setTimeout(done, 50));
  });`;
  const [thrown, rejected, fine] = await runFiles({
    thrown: body(`setTimeout(() => { throw new Error('thrown aside'); }, 1);`),
    rejected: body(`void Promise.reject(new Error('rejected aside'));`),
    fine: `test('b', () => {});`,
  });
  const told = (result: FileResult | undefined) =>
    result?.verdicts.map(({ name, error }) => `${name}: ${error}`).join();
  assert.match(told(thrown) ?? '', /nothing goes wrong beside the tests: Error: thrown aside/);
  assert.match(told(rejected) ?? '', /nothing goes wrong beside the tests: Error: rejected aside/);
  assert.deepEqual(
    fine?.verdicts.map(({ outcome }) => outcome),
    ['passed'],
  );
});

test('a broken hook fails', async () => {
  const { outcomes } = await run(
    'hook',
    `describe('s', () => { after(() => { throw new Error(); }); test('a', () => {}); });`,
  );
  assert.deepEqual(outcomes, ['passed', 'failed']);
});

test('a test that never ends is ended and named, once nothing was heard for long; reports keep a file alive', async () => {
  const slow = `test('slow', () => new Promise((done) => setTimeout(done, 2_200)));`;
  const body = `${slow.repeat(3)}\ntest('stuck', () => new Promise(() => { setInterval(() => {}, 1_000); }));`;
  const { outcomes, last } = await run('hangs', body, 6_000);
  assert.deepEqual(outcomes, ['passed', 'passed', 'passed', 'failed']);
  assert.match(last?.error ?? '', /Still running: stuck/);
});

test('a file that never lets its process end is told so', async () => {
  const { outcomes, last } = await run('open', `test('a', () => { setInterval(() => {}, 1_000); });`, 6_000);
  assert.deepEqual(outcomes, ['passed', 'failed']);
  assert.match(last?.error ?? '', /never closed/);
});

test('files that share a process keep their verdicts and what they print apart', async () => {
  const [first, second] = await runFiles({
    one: `test('a', () => { console.log('from one'); throw new Error(); });`,
    two: `describe('b', () => { test('c', () => console.log('from two')); });`,
  });
  assert.deepEqual([first?.path, first?.verdicts.map(({ name }) => name)], ['one.test.ts', ['a']]);
  assert.deepEqual([second?.path, second?.verdicts.map(({ name }) => name)], ['two.test.ts', ['b › c']]);
  assert.match(first!.output, /^from one$/m);
  assert.match(second!.output, /^from two$/m);
  assert.doesNotMatch(first!.output, /from two/);
});

test('what one file breaks, the next ones do not lack', async () => {
  const results = await runFiles({
    'leaves-first': `test('a', () => process.exit(0));`,
    'stays-after': `test('b', () => {});`,
  });
  assert.deepEqual(
    results.map(({ path, verdicts }) => [path, verdicts.map(({ outcome }) => outcome)]),
    [
      ['leaves-first.test.ts', ['failed']],
      ['stays-after.test.ts', ['passed']],
    ],
  );
});

test('what passes, passes; what is skipped or to be done is neither', async () => {
  const { outcomes } = await run('passes', `test('a', () => {});\ntest.skip('b', () => {});\ntest.todo('c');`);
  assert.deepEqual(outcomes, ['passed', 'skipped', 'todo']);
});

test('a file of which everything is skipped has not failed', async () => {
  const { outcomes } = await run('skips', `describe('a', { skip: 'no servers' }, () => { test('b', () => {}); });`);
  assert.deepEqual([...new Set(outcomes)], ['skipped']);
});
