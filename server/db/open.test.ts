import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyMigratedFile } from '#test/kit/migrated.ts';
import { findTablesFault, openDatabase } from './open.ts';

test('an unreachable database is an error, not a fault of its tables', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-open-'));
  try {
    await copyMigratedFile(folder);
    const db = await openDatabase(`sqlite:${join(folder, 'waybill.db')}`, { silenceMs: 0 });
    assert.equal(await findTablesFault(db), null);
    await db.close();
    await assert.rejects(findTablesFault(db));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
