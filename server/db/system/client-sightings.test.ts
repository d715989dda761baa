import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import { addSightings, deleteOldSightings, listSightings } from './client-sightings.ts';

describe('Programs that call', () => {
  const rows = useRows();
  const seen: Among<'client_sightings'> = {
    table: 'client_sightings',
    right: { day: '2026-01-02', client: 'cli', calls: 1 },
    wrong: { day: '2026-01-01' },
  };

  test('are listed from a day on, the last day first, up to a limit', async () => {
    const days = async (db: Query) => (await listSightings(db, '2026-01-02', 2)).map(({ day }) => day);
    await rows.finds(seen, days, ['2026-01-02']);
    rows.put('client_sightings', ...['03', '02', '04'].map((day) => ({ ...seen.right, day: `2026-01-${day}` })));
    assert.deepEqual(await days(rows.db), ['2026-01-04', '2026-01-03']);
  });

  test('are counted together where nothing is different', async () => {
    const sighting = { day: '2026-01-02', client: 'cli', version: '', code: '', calls: 2 };
    await rows.changes({ ...seen, wrong: {} }, (tx) => addSightings(tx, [sighting]), { calls: 3 });
  });

  test('beyond the limit of a day are counted together, without the names they gave themselves', async () => {
    const sighting = (client: string, day = '2026-01-02') => ({ day, client, version: '1', code: '', calls: 2 });
    const names = ['cli', 'one', 'two', 'three'].map((name) => sighting(name));
    rows.put('client_sightings', ...[sighting('cli'), sighting('cli', '2026-01-01')]);
    await addSightings(rows.db as never, [...names, sighting('two', '2026-01-01')], 2);
    const found = (await listSightings(rows.db, '2026-01-01', 9)).map(({ day, client, calls }) => [day, client, calls]);
    assert.deepEqual(found.toSorted(), [
      ['2026-01-01', 'cli', 2],
      ['2026-01-01', 'two', 2],
      ['2026-01-02', '', 4],
      ['2026-01-02', 'cli', 4],
      ['2026-01-02', 'one', 2],
    ]);
  });

  test('of before a day are forgotten', async () => {
    const old = { ...seen, wrong: { day: '2026-01-03' } };
    await rows.changes(old, (tx) => deleteOldSightings(tx, '2026-01-03'), null);
  });
});
