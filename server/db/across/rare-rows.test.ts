// Queries on rare rows do not read the many other rows. They use partial indexes, which cost frequent writes nothing;
// SQLite uses such an index only if the statement has the same condition.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type LogEvent,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { copyMigratedFile } from '#test/kit/migrated.ts';
import { holdAttachments, listUndelivered } from '../attachments/attachments.ts';
import { countHeldMails, countWaitingMails, listMails, listRefusedMails } from '../mail/mail-queue.ts';
import { deleteFinishedMails, findStuckMails, listDueMails } from '../mail/outbox.ts';
import { deleteOldSends } from '../messages/sends.ts';
import { findMailQueue } from '../overview/overview.ts';
import type { OutboxTable, Query, Tx } from '../schema/schema.ts';
import { listTransferFiles } from '../transfers/transfer-owners.ts';
import { findWaiting } from '../uploads/parts.ts';

describe('without reading every row are found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-plans-'));
  let database: DatabaseSync;
  before(async () => {
    await copyMigratedFile(folder);
    database = new DatabaseSync(join(folder, 'waybill.db'));
  });
  after(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** SQLite's query plans for the statements of a query. */
  async function plansOf(ask: (db: Query & Tx) => Promise<unknown>): Promise<string[]> {
    const asked: CompiledQuery[] = [];
    const db = new Kysely<unknown>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (inner) => new SqliteIntrospector(inner),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
      log: ({ query }: LogEvent) => void asked.push(query),
    });
    await ask(db as unknown as Query & Tx).catch((error: Error) => assert.match(error.message, /no result/));
    return asked.map(({ sql, parameters }) =>
      database
        .prepare(`explain query plan ${sql}`)
        .all(...(parameters as string[]))
        .map(({ detail }) => String(detail))
        .join('; '),
    );
  }
  const by = (states: OutboxTable['state'][]) => (db: Query) =>
    listMails(db, { states, domain: null, after: null }, 25);

  const handedIn = 'INDEX attachments_source \\(source=\\?\\)';
  const questions: [what: string, index: string, ask: (db: Query & Tx) => Promise<unknown>][] = [
    ['mails that wait', 'INDEX outbox_waiting', by(['pending', 'sending'])],
    ['mails that were refused', 'INDEX outbox_failed', by(['failed'])],
    ['mails that are held', 'INDEX outbox_held', by(['held'])],
    ['how many mails are held', 'INDEX outbox_held', countHeldMails],
    ['mails that were dropped', 'INDEX outbox_cancelled', by(['cancelled'])],
    ['mails that went out, which are nearly all', 'INDEX outbox_newest', by(['sent'])],
    ['mails that were refused lately', 'INDEX outbox_refused', (db) => listRefusedMails(db, 0, 25)],
    ['mails that are due', 'INDEX outbox_due', (db) => listDueMails(db, ['message', 'receipt'], 1, 25)],
    ['how many mails wait', 'INDEX outbox_(waiting|due)', countWaitingMails],
    ['how many mails wait, and since when', 'INDEX outbox_(waiting|due)', findMailQueue],
    ['mails that are stuck', 'INDEX outbox_waiting', (db) => findStuckMails(db, { before: 1, now: 2 })],
    [
      'mails that are too old',
      'INDEX outbox_newest \\(created_at<\\?\\)',
      (db) => deleteFinishedMails(db, { before: 1, now: 2, limit: 100 }),
    ],
    ['files that wait to be delivered', handedIn, (db) => listUndelivered(db, 'owner', 'request:a', 25)],
    ['how much waits to be delivered', handedIn, (db) => findWaiting(db, 'owner', 'request:a')],
    ['files of a request', handedIn, (db) => listTransferFiles(db, { id: 'a', kind: 'request' })],
    [
      'files that are bound, however many their owner has',
      'INDEX sqlite_autoindex_attachments_1 \\(id=\\?\\)',
      (db) => holdAttachments(db, ['first', 'second'], { ownerId: 'owner', source: '' }),
    ],
    ['sends that are too old', 'PRIMARY KEY \\(group_id=\\? AND sent_at<\\?\\)', (db) => deleteOldSends(db, 1)],
  ];
  for (const [what, index, ask] of questions)
    test(what, async () => {
      const plan = (await plansOf(ask)).at(-1)!;
      assert.match(plan, new RegExp(`USING (COVERING )?${index}`));
      assert.doesNotMatch(plan, /TEMP B-TREE/);
    });
});
