import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useRows } from '../../test/kit/boundary-rows.ts';
import type { Ctx } from '../actions/context.ts';
import type { Tables } from '../db/schema/schema.ts';
import { tidy } from './tidy.ts';

const dayMs = 86_400_000;
const now = Date.parse('2026-11-16T12:00:00Z');

type Old = { [Table in keyof Tables]: { table: Table; gone: Partial<Tables[Table]>; kept: Partial<Tables[Table]> } };

const old = <Table extends keyof Tables>(
  table: Table,
  gone: Partial<Tables[Table]>,
  kept: Partial<Tables[Table]>,
): Old[Table] => ({ table, gone, kept: { ...gone, ...kept } }) as Old[Table];

const cases = [
  old('tickets', { id_hash: Buffer.from('t'), expires_at: now - dayMs - 1 }, { expires_at: now - dayMs }),
  old('outbox', { id: 'o', finished_at: now - 180 * dayMs - 1 }, { finished_at: now - 180 * dayMs }),
  old('uploads', { id: 'u', state: 'abandoned', active_at: now - dayMs - 1 }, { active_at: now - dayMs }),
  old('attempts', { window_ends_at: now - 1 }, { window_ends_at: now }),
  old('sign_in_networks', { last_at: now - 30 * dayMs }, { last_at: now - 30 * dayMs + 1 }),
  old('codes', { expires_at: now - dayMs - 1 }, { expires_at: now - dayMs }),
  old('proofs', { expires_at: now - 1 }, { expires_at: now }),
  old('pairings', { expires_at: now - 1 }, { expires_at: now }),
  old('sessions', { expires_at: now - 1 }, { expires_at: now }),
  old('one_time_tokens', { expires_at: now - 30 * dayMs - 1 }, { expires_at: now - 30 * dayMs }),
  old('drop_keys', { expires_at: now - dayMs - 1 }, { expires_at: now - dayMs }),
  old('uploader_receipts', { expires_at: now }, { expires_at: now + 1 }),
  old('blob_leases', { expires_at: now - dayMs - 1 }, { expires_at: now - dayMs }),
  old('client_sightings', { day: '2026-08-17' }, { day: '2026-08-18' }),
  old('sends', { group_id: 'crew', sent_at: now - 90 * dayMs - 1 }, { sent_at: now - 90 * dayMs }),
  old('idempotency', { created_at: now - dayMs - 1 }, { created_at: now - dayMs }),
  old('reservations', { id: 'r', expires_at: now - 1 }, { expires_at: now }),
];

describe('tidying', () => {
  const rows = useRows();
  const run = () => {
    const db = { read: rows.db, write: (work: (tx: typeof rows.db) => unknown) => work(rows.db) };
    return tidy.run({ clock: { now: () => now }, db } as unknown as Ctx, { isConfirmed: false });
  };

  for (const { table, gone, kept } of cases) {
    test(`deletes expired ${table.replaceAll('_', ' ')}, not a millisecond early`, async () => {
      rows.put(table, gone);
      await run();
      assert.deepEqual(rows.all(table), []);
      rows.put(table, kept);
      await run();
      assert.equal(rows.all(table).length, 1);
      rows.put(table);
    });
  }

  test('deletes old visits of messages that have ended', async () => {
    const visitsAfter = async (last_at: number, expires_at: number) => {
      rows.put('messages', { id: 'm', expires_at });
      rows.put('message_visits', { message_id: 'm', last_at });
      await run();
      return rows.all('message_visits').length;
    };
    assert.equal(await visitsAfter(now - 180 * dayMs - 1, now), 0);
    assert.equal(await visitsAfter(now - 180 * dayMs, now), 1);
    assert.equal(await visitsAfter(now - 180 * dayMs - 1, now + 1), 1);
  });

  test('reports how many rows it deleted', async () => {
    rows.put('tickets', { id_hash: Buffer.from('a') }, { id_hash: Buffer.from('b') });
    rows.put('reservations', { id: 'r', expires_at: 1 });
    rows.put('message_visits');
    assert.equal(await run(), '2 tickets, 0 mails, visits of 0 messages, 0 uploads, 1 reservation');
  });
});
