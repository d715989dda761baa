// Downloads in statements about exposure, with boundary cases beside the selected rows.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { listDepartures } from './exposed-downloads.ts';

const span = { from: 10, to: 20 };

describe('Downloads of versions that did not store requests', () => {
  const rows = useRows();
  const line: Among<'downloads'> = {
    table: 'downloads',
    right: {
      owner_id: 'alice',
      number: 7,
      attachment_id: 'file',
      recipient: 'bob@example.org',
      api_key_id: 'key',
      remote_ip: '192.0.2.1',
      outcome: 'complete',
      granted_at: 19,
      finished_at: 10,
    },
    wrong: { outcome: 'refunded', granted_at: 20, finished_at: 9 },
  };
  const addresses = ['bob@example.org'];

  test('are those with a moment within the span, by key, network address or recipient', async () => {
    rows.put('attachments', { id: 'file' });
    const numbers = (scope: Parameters<typeof listDepartures>[1]) => async () =>
      (await listDepartures(rows.db, scope, span)).map(({ number }) => number);
    const but = (wrong: Among<'downloads'>['wrong']) => ({ ...line, wrong: { ...line.wrong, ...wrong } });
    await rows.finds(but({ api_key_id: '' }), numbers({ apiKeyId: 'key' }), [7]);
    await rows.finds(but({ remote_ip: '' }), numbers({ ip: '192.0.2.1' }), [7]);
    await rows.finds(but({ recipient: '' }), numbers({ addresses }), [7]);
    await rows.finds(but({ owner_id: 'bob' }), numbers({ ownerId: 'alice', addresses: [] }), [7]);
    rows.put('downloads', { ...line.right, finished_at: null });
    assert.deepEqual(await numbers({ addresses })(), [7]);
  });

  test('are in order of time, then by owner and number', async () => {
    rows.put('attachments', { id: 'file' });
    const at = (granted_at: number, owner_id: string, number: number) => ({
      ...line.right,
      granted_at,
      owner_id,
      number,
    });
    rows.put('downloads', at(12, 'bob', 1), at(12, 'alice', 3), at(12, 'alice', 2), at(11, 'carol', 4));
    const found = await listDepartures(rows.db, { addresses }, span);
    assert.deepEqual(
      found.map(({ number }) => number),
      [4, 2, 3, 1],
    );
  });
});
