// A copy of a database notices that it is one, and waits.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrateDatabase, openDatabase } from '../db/open.ts';
import type { LockedDb } from '../db/schema.ts';
import { endQuarantine, findQuarantine, noticeCopy } from './quarantine.ts';

test('a copied database file waits until it is told that it is the one to use; the original does not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-copy-'));
  const [original, copy] = [join(folder, 'waybill.db'), join(folder, 'copy.db')];
  const inside = async (path: string, work: (db: LockedDb) => Promise<void>) => {
    const db = await openDatabase(`sqlite:${path}`);
    await work(db).finally(() => db.close());
  };
  try {
    await inside(original, async (db) => {
      await migrateDatabase(db);
      await noticeCopy(db, original);
    });
    copyFileSync(original, copy);
    await inside(original, async (db) => {
      await noticeCopy(db, original);
      assert.equal(await findQuarantine(db), null);
    });
    await inside(copy, async (db) => {
      await noticeCopy(db, copy);
      assert.match((await findQuarantine(db)) ?? '', /copied or restored.*waybill-server quarantine --end/);
      await noticeCopy(db, copy);
      assert.notEqual(await findQuarantine(db), null, 'a second start changes nothing');
      await endQuarantine(db);
      await noticeCopy(db, copy);
      assert.equal(await findQuarantine(db), null);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
