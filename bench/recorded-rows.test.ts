import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { recordRows } from './recorded-rows.ts';

describe('rows recorded for the benchmark', () => {
  test('new rows are recorded with the values that change each time, existing rows are not', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waybill-recorded-'));
    const path = join(folder, 'ours.db');
    const database = new DatabaseSync(path);
    try {
      database.exec(`pragma journal_mode = wal;
        create table messages (id text primary key, state text, seal blob);
        create table files (message_id text, position integer, primary key (message_id, position)) without rowid;
        create table events (seq integer primary key autoincrement, about text);
        insert into messages values ('first', 'active', x'01');
        insert into files values ('first', 0);
        insert into events (about) values ('first')`);
      const rows = await recordRows(path, join(folder, 'before.db'), async () => {
        database.exec(`insert into messages values ('second', 'active', x'0203');
          insert into files values ('second', 0);
          insert into events (about) values ('second');
          update messages set state = 'closed' where id = 'first'`);
      });
      const id = { fresh: 0, length: 6, isText: true };
      assert.deepEqual(rows, [
        {
          table: 'messages',
          columns: ['id', 'state', 'seal'],
          values: [id, { fixed: 'active' }, { fresh: 1, length: 2, isText: false }],
        },
        { table: 'files', columns: ['message_id', 'position'], values: [id, { fixed: 0 }] },
        { table: 'events', columns: ['about'], values: [id] },
      ]);
    } finally {
      database.close();
      rmSync(folder, { recursive: true });
    }
  });
});
