// Suites of the API, races and random walks against three processes behind nginx instead of one service inside the process
// of the tests. Those that put something of their own into the service (a store that fails, a way for mail) are not among them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { repositoryRoot } from '#scripts/source-files.ts';
import { machinesVariable } from '#test/kit/machines.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';

const files = [
  'test/models/links.test.ts',
  'test/models/messages.test.ts',
  'test/api/once.test.ts',
  'test/api/idempotency.test.ts',
  'test/api/file-links.test.ts',
  'test/api/filedrop-reserves.test.ts',
  'test/api/attempt-limits.test.ts',
  'test/api/tickets.test.ts',
  'test/api/taken-bytes.test.ts',
  'test/api/messages.test.ts',
];

describe('against three processes behind nginx', { skip: findTestServers() === null && 'without servers' }, () => {
  for (const file of files)
    test(file, async () => {
      const { code, output } = await runFile(file);
      assert.equal(code, 0, output);
    });
});

function runFile(file: string): Promise<{ code: number; output: string }> {
  // Without the mark of the test runner above, the file reports for people.
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_TEST_CONTEXT: undefined, [machinesVariable]: '3' };
  const options = { cwd: repositoryRoot, env, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [file], options, (_error, output, errors) =>
      resolve({ code: child.exitCode ?? -1, output: output + errors }),
    );
  });
}
