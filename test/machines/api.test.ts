// The API suite and the random walks against three processes behind nginx instead of one service inside the process of the tests:
// each request goes to another of them, so that nothing may be known to one alone.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { listFiles, repositoryRoot } from '#scripts/source-files.ts';
import { withoutInside } from '#scripts/test-apart.ts';
import { type FileResult, runLane, writeQueue } from '#scripts/test-run.ts';
import { machinesVariable } from '#test/kit/machines.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { testsApart } from './apart.ts';

const silenceLimitMs = 600_000;
const files = listFiles(repositoryRoot, ['test/models', 'test/api']).filter((path) => path.endsWith('.test.ts'));
const namesApart = Object.values(testsApart).flat();

describe('against three processes behind nginx', { skip: findTestServers() === null && 'without servers' }, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'waybill-test-'));
  after(() => rmSync(scratch, { recursive: true, force: true }));

  for (const file of files) test(file, (context) => runFile(file, context));

  async function runFile(file: string, context: TestContext): Promise<void> {
    const results: FileResult[] = [];
    await runLane({
      root: repositoryRoot,
      queuePath: writeQueue(scratch, [file]),
      scratch,
      silenceLimitMs,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, NO_COLOR: '1', [machinesVariable]: '3' },
      add: (result) => void results.push(withoutInside(result, namesApart)),
    });
    const verdicts = results.flatMap((result) => result.verdicts);
    const counted = (outcome: string) => verdicts.filter((one) => !one.isSuite && one.outcome === outcome).length;
    context.diagnostic(`${counted('passed')} passed, ${counted('skipped')} left out`);
    const failures = verdicts.filter(({ outcome }) => outcome === 'failed' || outcome === 'cancelled');
    assert.equal(failures.map(({ name, error }) => `${name}\n${error}`).join('\n\n'), '');
  }
});
