import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { PendingDelivery } from '../../domain/submissions.ts';
import type { Query, Tx } from '../schema/schema.ts';
import {
  claimDropName,
  consumeDropKey,
  countOpenedDropKeys,
  countUnopenedDropKeys,
  countUsedDropKeys,
  deleteOldDropKeys,
  findDropKey,
  findDropKeyById,
  findDropOwnerId,
  findDropReserve,
  listSilentDropFiles,
  listSilentDropUploads,
  openDropKey,
  replaceDropName,
  savePending,
  touchDropKey,
} from './filedrops.ts';

const key: Among<'drop_keys'>['right'] = {
  id: 'key',
  owner_id: 'alice',
  drop_name: 'page',
  state: 'open',
  expires_at: 11,
  created_at: 6,
  opened_at: null,
  active_at: 4,
};
const among = (right: typeof key, wrong: Among<'drop_keys'>['wrong']): Among<'drop_keys'> => ({
  table: 'drop_keys',
  right: { ...key, ...right },
  wrong,
});
const named = (id: string) => ({ ...key, id, lookup: Buffer.from(id) });

describe('Among other keys of drop pages', () => {
  const rows = useRows();

  test('one is found by its id or its keyed hash', async () => {
    const right = { lookup: Buffer.from('key') };
    const wrong = { lookup: Buffer.from('other') };
    await rows.finds(among(right, { id: 'other' }), async (db) => (await findDropKeyById(db, 'key'))?.id, 'key');
    await rows.finds(among(right, wrong), async (db) => (await findDropKey(db, right.lookup))?.id, 'key');
  });

  test('those that nothing was uploaded under are counted up to a limit', async () => {
    const count = (db: Query) => countUnopenedDropKeys(db, 'page', 2);
    await rows.finds(among({}, { drop_name: 'other', opened_at: 5 }), count, 1);
    rows.put('drop_keys', named('a'), named('b'), named('c'));
    assert.equal(await count(rows.db), 2);
  });

  test('those that uploading began under lately are counted by page or by network', async () => {
    const opened = { opened_at: 6, network: 'near' };
    const old = { opened_at: [5, null] };
    const page = (db: Query) => countOpenedDropKeys(db, { dropName: 'page' }, 5);
    await rows.finds(among(opened, { ...old, drop_name: 'other' }), page, 1);
    const network = (db: Query) => countOpenedDropKeys(db, { network: 'near' }, 5);
    await rows.finds(among(opened, { ...old, network: 'far' }), network, 1);
  });

  test('one is opened by its first upload', async () => {
    const opened = { network: 'near', opened_at: 9, active_at: 9 };
    await rows.changes(among({}, { id: 'other', opened_at: 5 }), (tx) => openDropKey(tx, 'key', 'near', 9), opened);
  });

  test('one is as active as its last upload', async () => {
    await rows.changes(among({}, { id: 'other' }), (tx) => touchDropKey(tx, 'key', 9), { active_at: 9 });
  });

  test('a delivery waits under its own key while nothing was delivered under it', async () => {
    const pending = { subject: 'Hello' } as unknown as PendingDelivery;
    const save = async (tx: Query & Tx) => {
      await savePending(tx, 'key', pending, 9);
      const found = (await findDropKeyById(tx, 'key'))?.pending ?? null;
      return { found, isActive: rows.all('drop_keys').some(({ active_at }) => active_at === 9) };
    };
    await rows.finds(among({}, { id: 'other', state: 'used' }), save, { found: pending, isActive: true });
  });

  test('one is used once, before it ends', async () => {
    const wrong = { id: 'other', state: 'used', expires_at: 10 } as const;
    await rows.finds(among({}, wrong), (tx) => consumeDropKey(tx, 'key', 10), true);
    await rows.changes(among({}, wrong), (tx) => consumeDropKey(tx, 'key', 10), { state: 'used' });
  });

  test('those that were used lately are counted by page', async () => {
    const wrong = { drop_name: 'other', state: 'open', created_at: 5 } as const;
    await rows.finds(among({ state: 'used' }, wrong), (db) => countUsedDropKeys(db, 'page', 5), 1);
  });

  test('those that ended a day ago are forgotten', async () => {
    const day = 86_400_000;
    await rows.changes(among({ expires_at: 9 }, { expires_at: 10 }), (tx) => deleteOldDropKeys(tx, day + 10), null);
  });
});

describe('What waits at a drop page', () => {
  const rows = useRows();
  const nothing = { files: 0, chunks: 0, bytes: 0, promisedBytes: 0 };
  const reserve = (db: Query) => findDropReserve(db, 'page');
  const waits: Among<'attachments'> = {
    table: 'attachments',
    right: { id: 'file', source: 'drop:key', state: 'ready', size_bytes: 3 },
    wrong: { source: ['drop:other', ''], state: 'erased' },
  };
  const upload: Among<'uploads'> = {
    table: 'uploads',
    right: { id: 'upload', owner_id: 'alice', source: 'drop:key', state: 'open' },
    wrong: { source: ['drop:other', ''], state: ['sealing', 'ready', 'failed', 'abandoned'] },
  };
  const empty = () => {
    for (const table of ['attachments', 'uploads', 'parts', 'reservations'] as const) rows.put(table);
    rows.put('drop_keys', key);
  };

  test('are its files, the chunks of its uploads and the bytes reserved for them', async () => {
    const page = among({}, { id: 'other', drop_name: 'other' });
    empty();
    await rows.finds(waits, reserve, { ...nothing, files: 1, bytes: 3 });
    await rows.finds(page, reserve, { ...nothing, files: 1, bytes: 3 });
    empty();
    rows.put('parts', { upload_id: 'upload', size_bytes: 4 });
    await rows.finds(upload, reserve, { ...nothing, files: 1, chunks: 1, bytes: 4 });
    await rows.finds(page, reserve, { ...nothing, files: 1, chunks: 1, bytes: 4 });
    empty();
    await rows.finds(upload, reserve, { ...nothing, files: 1 });
    empty();
    rows.put('reservations', { id: 'promise', source: 'drop:key', reserved_bytes: 5 });
    await rows.finds(page, reserve, { ...nothing, promisedBytes: 5 });
  });

  test('is silent when nothing was uploaded lately and nothing is right now', async () => {
    const silent = among({}, { id: 'other', active_at: 5 });
    const found = [{ id: 'upload', ownerId: 'alice', source: 'drop:key' }];
    const busy: Among<'reservations'> = {
      table: 'reservations',
      right: { id: 'promise', source: 'drop:key' },
      wrong: { source: ['drop:other', ''] },
    };
    empty();
    await rows.finds(waits, (db) => listSilentDropFiles(db, 5, 2), ['file']);
    await rows.finds(upload, (db) => listSilentDropUploads(db, 5, 2), found);
    await rows.finds(silent, (db) => listSilentDropFiles(db, 5, 2), ['file']);
    await rows.finds(silent, (db) => listSilentDropUploads(db, 5, 2), found);
    await rows.finds(busy, (db) => listSilentDropFiles(db, 5, 2), []);
    await rows.finds(busy, (db) => listSilentDropUploads(db, 5, 2), []);
  });

  test('is listed up to a limit', async () => {
    empty();
    rows.put('attachments', ...['a', 'b', 'c'].map((id) => ({ ...waits.right, id })));
    rows.put('uploads', ...['a', 'b', 'c'].map((id) => ({ ...upload.right, id })));
    assert.equal((await listSilentDropFiles(rows.db, 5, 2)).length, 2);
    assert.equal((await listSilentDropUploads(rows.db, 5, 2)).length, 2);
  });
});

describe('Names of drop pages', () => {
  const rows = useRows();
  const person = { id: 'alice', drop_name: 'page', state: 'active' as const };

  test('lead to people who are active', async () => {
    const wrong: Among<'users'>['wrong'] = { drop_name: ['other', null], state: ['disabled', 'deleted'] };
    await rows.finds({ table: 'users', right: person, wrong }, (db) => findDropOwnerId(db, 'page'), 'alice');
  });

  test('are given to people who have none', async () => {
    rows.put('users', person, { id: 'bob', email: 'bob' });
    assert.equal(await claimDropName(rows.db, 'alice', 'new'), 'page');
    assert.equal(rows.all('users').find(({ id }) => id === 'bob')?.drop_name, null);
    assert.equal(await claimDropName(rows.db, 'bob', 'new'), 'new');
  });

  test('end with the keys of the person and the page, at once or as soon as their files are erased', async () => {
    const replace = async (tx: Tx) => {
      rows.put('users', { id: 'bob', email: 'bob', drop_name: 'bobs' }, person);
      await replaceDropName(tx, 'alice', 'new', 9);
      const [bob, alice] = rows.all('users');
      assert.deepEqual([alice?.drop_name, alice?.updated_at, bob?.drop_name], ['new', 9, 'bobs']);
    };
    await rows.changes(among({}, { owner_id: 'bob', drop_name: 'bobs' }), replace, null);
    const wrong = { owner_id: 'bob', drop_name: 'bobs', state: 'used' } as const;
    await rows.changes(among({ opened_at: 5 }, wrong), replace, { state: 'used', active_at: 0 });
  });
});
