import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useRows } from '../../../test/kit/boundary-rows.ts';
import { listIdleUploads, listSealingUploads, sealUpload } from './uploads.ts';

describe('Among other uploads', () => {
  const rows = useRows();

  test('one is closed when it is open, undisputed and whole', async () => {
    const whole = { id: 'one', state: 'open', has_conflict: 0, part_count: 3, chunks: 3 } as const;
    await rows.changes(
      {
        table: 'uploads',
        right: whole,
        wrong: { id: 'other', state: ['sealing', 'ready'], has_conflict: 1, part_count: 2, chunks: 4 },
      },
      (tx) => sealUpload(tx, 'one', 2),
      { state: 'sealing', last_part: 2 },
    );
  });

  test('those that were silent longest come first, and not more than asked for', async () => {
    for (const [state, list] of [
      ['open', listIdleUploads],
      ['sealing', listSealingUploads],
    ] as const) {
      const upload = (id: string, active_at: number) => ({
        id,
        state,
        active_at,
        name_lookup: Buffer.from(id),
        name_sealed: rows.db.keys.sealText('name', 'plan.txt', id),
      });
      rows.put('uploads', upload('second', 2), upload('third', 3), upload('first', 1), upload('now', 9));
      const found = async (limit: number) => (await list(rows.db, 9, limit)).map(({ id }) => id);
      assert.deepEqual(await found(9), ['first', 'second', 'third']);
      assert.deepEqual(await found(2), ['first', 'second']);
    }
  });
});
