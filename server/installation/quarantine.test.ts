import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDialects } from '#test/kit/databases.ts';
import { migrateDatabase, openDatabase } from '../db/open.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import { detectCopy, endQuarantine, findQuarantine } from './quarantine.ts';

for (const { dialect, create } of testDialects())
  test(`a copied database (${dialect}) is in quarantine until an operator ends it; the original is not`, async () => {
    const start = async (
      url: string,
      work: (db: LockedDb, begin: () => Promise<void>, path: string | null) => Promise<void>,
    ) => {
      const db = await openDatabase(url);
      const path = dialect === 'sqlite' ? url.slice('sqlite:'.length) : null;
      await work(db, () => detectCopy(db, path), path).finally(() => db.close());
    };
    const original = await create();
    await start(original.url, async (db, begin) => {
      await migrateDatabase(db);
      await begin();
    });
    const copy = await original.copy();
    try {
      await start(original.url, async (db, begin) => {
        await begin();
        assert.equal(await findQuarantine(db), null);
      });
      await start(copy.url, async (db, begin, path) => {
        await begin();
        assert.match((await findQuarantine(db)) ?? '', /copied or restored.*waybill-server quarantine --end/);
        await begin();
        assert.notEqual(await findQuarantine(db), null, 'a second start changes nothing');
        await endQuarantine(db, path);
        await begin();
        assert.equal(await findQuarantine(db), null);
      });
      const restored = await original.copy();
      await start(restored.url, async (db, begin, path) => {
        await endQuarantine(db, path);
        await begin();
        assert.equal(await findQuarantine(db), null, 'it was ended before the first start');
      }).finally(() => restored.drop());
    } finally {
      await copy.drop();
      await original.drop();
    }
  });
