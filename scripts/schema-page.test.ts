import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { schemaPage } from './schema-page.ts';

test('the page names every table, column, reference and index', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-schema-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.db');
  const database = new DatabaseSync(path);
  database.exec(`
    create table users (id text primary key, name text not null default 'x');
    create table links (id text primary key, user_id text references users (id) on delete cascade);
    create index links_by_user
      on links (user_id);
  `);
  database.close();

  const page = schemaPage(path);
  assert.match(page, /^## links$/m);
  assert.match(page, /^\| user_id \| text \| may be null; → users\.id, on delete cascade \|$/m);
  assert.match(page, /^- `CREATE INDEX links_by_user on links \(user_id\)`$/m);
  assert.match(page, /^\| name \| text \| default `'x'` \|$/m);
  assert.match(page, /^\| id \| text \| primary key \|$/m);
});
