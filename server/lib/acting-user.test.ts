import assert from 'node:assert/strict';
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { actAsOwnerOf } from './acting-user.ts';

type Asked = [call: string, ...unknown[]];

function watch(t: TestContext, { user = 0, hasGroups = true } = {}): { folder: string; asked: Asked[] } {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-owner-'));
  t.after(() => rmSync(folder, { recursive: true }));
  if (process.getuid!() === 0) chownSync(folder, 4321, 4322);
  const asked: Asked[] = [];
  t.mock.method(process as Required<NodeJS.Process>, 'getuid', () => user);
  for (const call of ['setgroups', 'setgid', 'setuid'] as const)
    t.mock.method(
      process as Required<NodeJS.Process>,
      call,
      (...given: unknown[]) => void asked.push([call, ...given]),
    );
  t.mock.method(process as unknown as { initgroups(): void }, 'initgroups', (...given: unknown[]) => {
    if (!hasGroups) throw new Error('no such user');
    asked.push(['initgroups', ...given]);
  });
  return { folder, asked };
}

describe('a command that root runs', () => {
  test('acts as the owner of the folder, groups first and the user last', (t) => {
    const { folder, asked } = watch(t);
    const { uid, gid } = statSync(folder);
    actAsOwnerOf(folder);
    assert.deepEqual(asked, [
      ['initgroups', uid, gid],
      ['setgid', gid],
      ['setuid', uid],
    ]);
  });

  test('takes the one group of an owner without a name', (t) => {
    const { folder, asked } = watch(t, { hasGroups: false });
    const { uid, gid } = statSync(folder);
    actAsOwnerOf(folder);
    assert.deepEqual(asked, [
      ['setgroups', [gid]],
      ['setgid', gid],
      ['setuid', uid],
    ]);
  });

  test('stays root for a folder of root and for one that is not there', (t) => {
    const { folder, asked } = watch(t);
    for (const path of ['/', join(folder, 'none')]) actAsOwnerOf(path);
    assert.deepEqual(asked, []);
  });
});

test('a process that is not root keeps its user', (t) => {
  for (const user of [1, 1000]) {
    const { folder, asked } = watch(t, { user });
    actAsOwnerOf(folder);
    assert.deepEqual(asked, []);
    t.mock.restoreAll();
  }
});
