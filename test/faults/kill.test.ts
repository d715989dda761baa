// Repeated kill -9 of the service under load, with SQLite and disk.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { surviveKills } from './kill-rounds.ts';

test('nothing acknowledged is lost, mixed or partial when the service is killed under load (SQLite and disk)', async () => {
  const ledger = await surviveKills(sqliteAndDisk, 6);
  assert.ok(ledger.files.size >= 18 && ledger.wholeDownloads > 0, 'there was load');
});
