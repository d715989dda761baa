// After a clock that was ahead, nothing waits for an instant in the future, in any table.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { copyMigratedFile } from '../../../test/kit/migrated.ts';
import type { Tables, Tx } from '../schema/schema.ts';
import { setMeta } from './installation.ts';
import { endFutureWaits, instants, listFutureInstants, type MetaKey, metaKinds, type Wait } from './instants.ts';

/** A number with such a name is an instant, unless it is listed here. */
const looksLikeInstant = /(?:^|_)(?:at|until|after|before|since|ends|time|due|step)$/;
const others = ['totp_last_step'];

test('every instant of every table says whether something waits for it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-instants-'));
  await copyMigratedFile(folder);
  const database = new DatabaseSync(join(folder, 'waybill.db'));
  const columns = database
    .prepare(`select t.name as "table", c.name as "column" from sqlite_schema t, pragma_table_info(t.name) c
      where t.type = 'table' and t.name <> 'migrations' and c.type in ('integer', 'bigint')`)
    .all() as { table: string; column: string }[];
  database.close();
  rmSync(folder, { recursive: true });
  const found = columns.filter(({ column }) => looksLikeInstant.test(column) && !others.includes(column));
  const listed = Object.entries(instants).flatMap(([table, rules]) =>
    Object.keys(rules).flatMap((column) => (others.includes(column) ? [] : [{ table, column }])),
  );
  const texts = (list: typeof found) => list.map(({ table, column }) => `${table}.${column}`).toSorted();
  assert.ok(found.length > 90);
  assert.deepEqual(texts(listed), texts(found));
});

describe('Instants of the future', () => {
  const rows = useRows();
  const now = 1_000_000_000_000;
  const end = (tx: Tx) => endFutureWaits(tx, now);
  /** Only rows in these states wait. */
  const states: Partial<Record<keyof Tables, string>> = { outbox: 'pending', statements: 'open' };

  const waits = Object.entries(instants).flatMap(([table, rules]) =>
    Object.entries(rules).flatMap(([column, rule]) =>
      typeof rule === 'object' && 'becomes' in rule
        ? [{ table: table as keyof Tables, column, rule: rule as Wait }]
        : [],
    ),
  );
  /** Columns that move with this one. */
  const endsOf = (table: keyof Tables, column: string): string[] =>
    Object.entries(instants[table as 'sessions']).flatMap(([end, rule]) =>
      typeof rule === 'object' && 'with' in rule && rule.with === column ? [end] : [],
    );
  const all = (names: string[], value: number) => Object.fromEntries(names.map((name) => [name, value]));

  for (const { table, column, rule } of waits)
    test(`of ${table}.${column} end with the mending, and those that are soon stay`, async () => {
      const { becomes, laterThanMs, unitMs = 1 } = rule;
      const limit = Math.floor((now + laterThanMs) / unitMs);
      const beside = states[table] === undefined ? {} : { state: states[table] };
      const ends = endsOf(table, column);
      const right = { ...beside, ...all(ends, limit + 8), [column]: limit + 1 };
      const to = { now: Math.floor(now / unitMs), free: 0, limit, gone: null }[becomes];
      const becoming = to === null ? null : { ...all(ends, to + 7), [column]: to };
      await rows.changes({ table, right, wrong: { [column]: limit } } as Among<never>, end, becoming as never);
    });

  test('in facts of the installation end too, and no others go', async () => {
    const late = String(now + 60_001);
    const waiting: MetaKey[] = ['mail_rate_used_until', 'alerted/mail-waiting'];
    for (const key of waiting) {
      rows.put('meta');
      await setMeta(rows.db, key, String(now + 60_000));
      await end(rows.db);
      assert.equal(rows.all('meta').length, 1, key);
      await setMeta(rows.db, key, late);
      await end(rows.db);
      assert.deepEqual(rows.all('meta'), [], key);
    }
    const names = Object.entries(metaKinds).flatMap(([key, kind]) => (kind === 'wait' ? [] : [key as MetaKey]));
    for (const key of names) await setMeta(rows.db, key, late);
    await end(rows.db);
    assert.equal(rows.all('meta').length, names.length);
  });

  test('are listed with the latest of each place, until they were ended', async () => {
    rows.put('meta', { key: 'mail_rate_used_until', value: String(now + 90_000) });
    rows.put('outbox', { id: 'one', created_at: now + 60_001 }, { id: 'two', created_at: now + 60_002 });
    rows.put('sessions', { created_at: now + 60_001 });
    const found = [
      { place: 'outbox.created_at', instant: now + 60_002 },
      { place: 'mail_rate_used_until', instant: now + 90_000 },
    ];
    assert.deepEqual(await listFutureInstants(rows.db, now), found);
    const thorough = await listFutureInstants(rows.db, now, { isThorough: true });
    assert.deepEqual(thorough.map(({ place }) => place).toSorted(), [
      'mail_rate_used_until',
      'outbox.created_at',
      'sessions.created_at',
    ]);
    await end(rows.db);
    assert.deepEqual(await listFutureInstants(rows.db, now, { isThorough: true }), []);
  });
});
