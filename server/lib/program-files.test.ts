import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { OperatorProblem } from './operator-problem.ts';
import { assertBuilt, threadScript } from './program-files.ts';

test('a program that is not completely built says what to run', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'waybill-built-'));
  t.after(() => rmSync(root, { recursive: true }));
  const isRefused = (missing: string) => (error: unknown) => {
    assert.ok(error instanceof OperatorProblem);
    assert.equal(
      error.message,
      `${join(root, missing)} is missing: the program is not built. Run: npm run build (in ${root})`,
    );
    return true;
  };
  assert.throws(() => assertBuilt(root), isRefused('dist/pages/entry.js'));
  mkdirSync(join(root, 'dist/pages'), { recursive: true });
  writeFileSync(join(root, 'dist/pages/entry.js'), '');
  assert.throws(() => assertBuilt(root), isRefused('dist/app/assets'));
  mkdirSync(join(root, 'dist/app/assets'), { recursive: true });
  assertBuilt(root);
});

test('the code of threads is in the folder of the server', () => {
  for (const path of ['lib/password-thread.mjs', 'blobs/hash-thread.mjs'])
    assert.ok(existsSync(threadScript(path)), path);
});
