import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useRows } from '../../../test/kit/boundary-rows.ts';
import type { RecordedEvent } from '../../db/events/events.ts';
import type { TransferRecord } from '../../domain/exposure.ts';
import type { Ctx } from '../context.ts';
import { admissions, candidatesOfAddress } from './reach.ts';

const forEver = Number.POSITIVE_INFINITY;
const holders = ['ben', 'ben-2'];

function spansOf(
  happened: [action: string, at: number, facts?: Record<string, string>][],
  more: Partial<TransferRecord> = {},
) {
  const row = { kind: 'message', address: 'ben@y', revokedAt: null, ...more } as TransferRecord;
  const events = happened.map(([action, at, facts = {}]) => ({ action, at, facts }) as unknown as RecordedEvent);
  return admissions({ row, events, answers: [] }, holders).map(({ from, to }) => [from, to]);
}

describe('an address was let in', () => {
  test('always without events, otherwise until its removal', () => {
    assert.deepEqual(spansOf([]), [[0, forEver]]);
    assert.deepEqual(spansOf([['message.recipient_revoked', 5, { recipient: 'ben@y' }]]), [[0, 5]]);
    assert.deepEqual(spansOf([['message.recipient_revoked', 5, { recipient: 'eve@y' }]]), [[0, forEver]]);
  });

  test('from its addition, not from that of another address', () => {
    assert.deepEqual(spansOf([['message.recipient_added', 5, { recipient: 'ben@y' }]]), [[5, forEver]]);
    assert.deepEqual(spansOf([['message.recipient_added', 5, { recipient: 'eve@y' }]]), [[0, forEver]]);
    const again = spansOf([
      ['message.recipient_added', 5, { recipient: 'ben@y' }],
      ['message.recipient_revoked', 7, { recipient: 'ben@y' }],
      ['message.recipient_added', 9, { recipient: 'ben@y' }],
    ]);
    assert.deepEqual(again, [
      [5, 7],
      [9, forEver],
    ]);
  });

  test('from a correction to it, and until a correction to another address', () => {
    const corrected = (recipient: string, to: string) =>
      spansOf([['message.recipient_corrected', 5, { recipient, to }]]);
    assert.deepEqual(corrected('eve@y', 'ben@y'), [[5, forEver]]);
    assert.deepEqual(corrected('ben@y', 'eve@y'), [[0, 5]]);
    assert.deepEqual(corrected('eve@y', 'zoe@y'), [[0, forEver]]);
    assert.deepEqual(spansOf([['message.extended', 5, { recipient: 'ben@y', to: 'ben@y' }]]), [[0, forEver]]);
  });

  test('to submissions while one of its accounts owned them; a message stays with its recipients', () => {
    const handed = (kind: TransferRecord['kind'], from: string, to: string) =>
      spansOf([['transfer.handed_over', 5, { from, to }]], { kind });
    for (const kind of ['answer', 'drop'] as const) {
      assert.deepEqual(handed(kind, 'ann', 'ben-2'), [[5, forEver]], kind);
      assert.deepEqual(handed(kind, 'ben', 'ann'), [[0, 5]], kind);
      assert.deepEqual(handed(kind, 'ann', 'zoe'), [[0, forEver]], kind);
    }
    assert.deepEqual(handed('message', 'ben', 'ann'), [[0, forEver]]);
    assert.deepEqual(handed('message', 'ann', 'ben'), [[0, forEver]]);
    assert.deepEqual(spansOf([['message.extended', 5, { from: 'ben', to: 'ann' }]], { kind: 'drop' }), [[0, forEver]]);
  });

  test('until the removal in its row, unless an event has one', () => {
    assert.deepEqual(spansOf([], { revokedAt: 8 }), [[0, 8]]);
    assert.deepEqual(spansOf([['message.recipient_added', 5, { recipient: 'ben@y' }]], { revokedAt: 8 }), [[5, 8]]);
    const said = spansOf([['message.recipient_revoked', 5, { recipient: 'ben@y' }]], { revokedAt: 8 });
    assert.deepEqual(said, [[0, 5]]);
  });
});

describe('a recipient of a message can open it now', () => {
  const rows = useRows();
  const isOpen = async (message: object = {}, revoked_at: number | null = null, addedAt?: number) => {
    rows.put('users', { id: 'alice', state: 'active' });
    const sent = { id: 'm', owner_id: 'alice', origin: 'sent', state: 'active', created_at: 1 } as const;
    rows.put('messages', { ...sent, expires_at: 11, ...message });
    rows.put('message_recipients', { message_id: 'm', address: 'ben@y', revoked_at });
    const added = { seq: 1, action: 'message.recipient_added', object_kind: 'message', object_id: 'm' } as const;
    const facts = JSON.stringify({ recipient: 'ben@y' });
    rows.put('events', ...(addedAt === undefined ? [] : [{ ...added, at: addedAt, facts }]));
    const settings = { surroundings: { timeZone: 'UTC' } };
    const ctx = { db: { read: rows.db }, clock: { now: () => 10 }, settings } as unknown as Ctx;
    const [found] = await candidatesOfAddress(ctx, { address: 'ben@y', holders: [] }, { from: 0, to: 20 });
    return found!.isOpenNow;
  };

  test('while the message exists and has not expired', async () => {
    assert.equal(await isOpen(), true);
    assert.equal(await isOpen({ state: 'revoked' }), false);
    assert.equal(await isOpen({ expires_at: 10 }), false);
  });

  test('from their addition until their removal', async () => {
    assert.deepEqual([await isOpen({}, 11), await isOpen({}, 10), await isOpen({}, 9)], [true, false, false]);
    assert.deepEqual([await isOpen({}, null, 10), await isOpen({}, null, 11)], [true, false]);
  });
});
