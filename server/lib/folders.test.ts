import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createFolder, requirePrivateFolder } from './folders.ts';
import { OperatorProblem } from './operator-problem.ts';
import { describeStartProblem } from './start-problems.ts';

const place = mkdtempSync(join(tmpdir(), 'waybill-folders-'));
after(() => rmSync(place, { recursive: true }));

test('a folder is created with its parents, for its owner only, and an existing one is unchanged', async () => {
  const path = join(place, 'a/b/c');
  await createFolder(path);
  assert.equal(statSync(path).mode & 0o777, 0o700);
  chmodSync(path, 0o750);
  await createFolder(path);
  assert.equal(statSync(path).mode & 0o777, 0o750);
});

test('an impossible folder is an error immediately', async () => {
  await assert.rejects(createFolder('/proc/nothing/data'), (error) => {
    assert.ok(error instanceof OperatorProblem);
    assert.equal(error.message, '/proc/nothing cannot be made: /proc takes no folders. Choose another folder.');
    return true;
  });
  const file = join(place, 'file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'below')])
    await assert.rejects(createFolder(path), (error) =>
      /needs a folder where there is a file/.test(describeStartProblem(error)!),
    );
});

test('a world-writable data folder is refused with the remedy', async () => {
  const path = join(place, 'open');
  await createFolder(path);
  for (const mode of [0o700, 0o775, 0o705]) {
    chmodSync(path, mode);
    await requirePrivateFolder(path);
  }
  const file = join(path, 'no-folder');
  writeFileSync(file, '', { mode: 0o600 });
  await assert.rejects(requirePrivateFolder(file), { code: 'EACCES' });
  chmodSync(path, 0o777);
  await assert.rejects(requirePrivateFolder(path), new RegExp(`can be changed by all users .* chmod 700 ${path}`));
});
