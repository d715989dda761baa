// Statements only for PostgreSQL, tested without a server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedPostgres } from '#test/kit/recorded-postgres.ts';
import { listEventWriters } from './events/sealable-events.ts';
import { type ListedSend, listSendsOfGroup } from './messages/sends.ts';
import type { Query, Tables, Tx } from './schema/schema.ts';
import { holdsLease } from './system/jobs.ts';

test('transactions that have inserted events are read from the locks of the table; SQLite has none', async () => {
  for (const writers of [[], ['3/17/812']]) {
    const { db, statements } = recordedPostgres<Tables>(() => writers.map((writer) => ({ writer })));
    assert.deepEqual(await listEventWriters(db.read as Query, 'postgres'), writers);
    assert.match(statements[0]!, /from pg_locks where .*mode = 'RowExclusiveLock'.*relation = 'events'::regclass/s);
    assert.deepEqual(await listEventWriters(db.read as Query, 'sqlite'), []);
    assert.equal(statements.length, 1);
  }
});

test('a lease is held against others until the transaction ends', async () => {
  const { db, statements } = recordedPostgres<Tables>();
  const lease = { name: 'one', holder: 'a' };
  assert.equal(await db.write((tx) => holdsLease(tx as Tx, lease, 'postgres')), false);
  assert.match(statements[0]!, /"name" = one and "holder" = a and "lease_ends_at" > 0 for share$/);
});

test('a page of sends continues after the last one of the previous page', async () => {
  const { db, statements } = recordedPostgres<Tables>();
  const page = { groupId: 'g', since: 3, limit: 5 };
  await listSendsOfGroup(db.read as Query, { ...page, before: null });
  await listSendsOfGroup(db.read as Query, { ...page, before: { id: 'b', sentAt: 7 } as ListedSend });
  const where = 'where "sends"."group_id" = g and "sends"."sent_at" >= 3';
  const order = 'order by "sends"."sent_at" desc, "sends"."id" desc limit 5';
  assert.ok(statements[0]!.endsWith(`${where} ${order}`), statements[0]!);
  assert.ok(statements[1]!.endsWith(`${where} and (sends.sent_at, sends.id) < (7, b) ${order}`), statements[1]!);
});
