// The runner of test files must report every way in which a file can fail.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createQueue, type FileResult, runQueue } from './test-process.ts';

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
  await runQueue({
    root: folder,
    queue: createQueue(folder, paths),
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

test('a failing test fails with its whole error and the output of its file', async () => {
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

test('a file that ends its process before its last test fails, also with code 0', async () => {
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

test('an error outside of tests fails, in the file that it belongs to', async () => {
  const body = (error: string) => `test('a', async () => {
    ${error}
    await new Promise((done) => setTimeout(done, 50));
  });`;
  const results = await runFiles({
    thrown: body(`setTimeout(() => { throw new Error('thrown aside'); }, 1);`),
    rejected: body(`void Promise.reject(new Error('rejected aside'));`),
    fine: `test('b', () => {});`,
  });
  const errorsOf = (name: string) =>
    results
      .filter(({ path }) => path === `${name}.test.ts`)
      .flatMap(({ verdicts }) => verdicts.map(({ error }) => error).filter((error) => error !== null));
  assert.match(errorsOf('thrown').join(), /^Error: thrown aside/);
  assert.match(errorsOf('rejected').join(), /^Error: rejected aside/);
  assert.deepEqual(errorsOf('fine'), []);
});

test('a failing hook fails', async () => {
  const { outcomes } = await run(
    'hook',
    `describe('s', () => { after(() => { throw new Error(); }); test('a', () => {}); });`,
  );
  assert.deepEqual(outcomes, ['passed', 'failed']);
});

test('hooks of one file do not run for the tests of another', async () => {
  const [, second] = await runFiles({
    'with-hook': `before(() => { globalThis.hooks = (globalThis.hooks ?? 0) + 1; });\ntest('a', () => {});`,
    'without-hook': `test('b', () => { if (globalThis.hooks !== 1) throw new Error('hooks: ' + globalThis.hooks); });`,
  });
  assert.deepEqual(
    second?.verdicts.map(({ error }) => error),
    [null],
  );
});

test('a test that never ends is ended and named after a time without reports', async () => {
  const slow = `test('slow', () => new Promise((done) => setTimeout(done, 2_200)));`;
  const body = `${slow.repeat(3)}\ntest('stuck', () => new Promise(() => { setInterval(() => {}, 1_000); }));`;
  const { outcomes, last } = await run('hangs', body, 6_000);
  assert.equal(outcomes.at(-1), 'failed');
  assert.match(last?.error ?? '', /without a report before the end of this file\. Last begun: stuck/);
});

test('a file that keeps its process open fails', async () => {
  const { outcomes, last } = await run('open', `test('a', () => { setInterval(() => {}, 1_000); });`, 6_000);
  assert.deepEqual(outcomes, ['passed', 'failed']);
  assert.match(last?.error ?? '', /was killed after 6 s/);
});

test('files that share a process have separate verdicts and output', async () => {
  const [first, second] = await runFiles({
    one: `test('a', () => { console.log('from one'); throw new Error(); });`,
    two: `describe('b', () => { test('c', () => console.log('from two')); });`,
  });
  assert.deepEqual([first?.path, first?.verdicts.map(({ name }) => name)], ['one.test.ts', ['a']]);
  assert.deepEqual([second?.path, second?.verdicts.map(({ name }) => name)], ['two.test.ts', ['b › c']]);
  assert.match(`${first!.output}${second!.output}`, /from one[\s\S]*from two/);
});

test('the files after one that ended its process are still tested', async () => {
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

test('skipped tests and tests to be written neither pass nor fail', async () => {
  const { outcomes } = await run('passes', `test('a', () => {});\ntest.skip('b', () => {});\ntest.todo('c');`);
  assert.deepEqual(outcomes, ['passed', 'skipped', 'todo']);
});

test('a file of which everything is skipped has not failed', async () => {
  const { outcomes } = await run('skips', `describe('a', { skip: 'no servers' }, () => { test('b', () => {}); });`);
  assert.deepEqual([...new Set(outcomes)], ['skipped']);
});
