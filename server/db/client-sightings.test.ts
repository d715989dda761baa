// Which programs were seen, among days that are nearly asked for.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addSightings, deleteOldSightings, listSightings } from './client-sightings.ts';
import { type Among, useRows } from './nearly-right.kit.ts';
import type { Query } from './schema.ts';

describe('Programs that call', () => {
  const rows = useRows();
  const seen: Among<'client_sightings'> = {
    table: 'client_sightings',
    right: { day: '2026-01-02', client: 'cli', calls: 1 },
    wrong: { day: '2026-01-01' },
  };

  test('are told from a day on, the last day first, up to a limit', async () => {
    const days = async (db: Query) => (await listSightings(db, '2026-01-02', 2)).map(({ day }) => day);
    await rows.finds(seen, days, ['2026-01-02']);
    rows.put('client_sightings', ...['03', '02', '04'].map((day) => ({ ...seen.right, day: `2026-01-${day}` })));
    assert.deepEqual(await days(rows.db), ['2026-01-04', '2026-01-03']);
  });

  test('are counted together where nothing is different', async () => {
    const sighting = { day: '2026-01-02', client: 'cli', version: '', code: '', calls: 2 };
    await rows.changes({ ...seen, wrong: {} }, (tx) => addSightings(tx, [sighting]), { calls: 3 });
  });

  test('of before a day are forgotten', async () => {
    const old = { ...seen, wrong: { day: '2026-01-03' } };
    await rows.changes(old, (tx) => deleteOldSightings(tx, '2026-01-03'), null);
  });
});
