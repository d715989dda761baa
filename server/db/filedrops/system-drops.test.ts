import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import {
  countDropDeliveries,
  deleteSystemDrop,
  findSystemDrop,
  listDropDeliveries,
  listSystemDrops,
  lockSystemDrop,
  updateSystemDrop,
} from './system-drops.ts';

describe('Among other drop pages of functions', () => {
  const rows = useRows();
  const page: Among<'system_drops'> = {
    table: 'system_drops',
    right: { id: 'page', name: 'jobs', title: 'Jobs', receivers: '[]' },
    wrong: { id: 'other' },
  };

  test('one is found by its id or by its name', async () => {
    await rows.finds(page, async (db) => (await findSystemDrop(db, { id: 'page' }))?.title, 'Jobs');
    await rows.finds(page, async (tx) => (await lockSystemDrop(tx, 'page'))?.title, 'Jobs');
    const byName = async (db: Query) => (await findSystemDrop(db, { name: 'jobs' }))?.title;
    await rows.finds({ ...page, wrong: { name: 'other' } }, byName, 'Jobs');
  });

  test('they are listed by title, capitals or not, then by id', async () => {
    const made = (id: string, title: string) => ({ ...page.right, id, name: id, title });
    rows.put('system_drops', made('d', 'b'), made('c', 'B'), made('a', 'C'), made('b', 'a'));
    assert.deepEqual(
      (await listSystemDrops(rows.db)).map(({ id }) => id),
      ['b', 'c', 'd', 'a'],
    );
  });

  test('one is changed or deleted', async () => {
    const changed = {
      id: 'page',
      name: 'work',
      title: 'Work',
      intro: 'Hello',
      receivers: ['alice'],
      maxSize: 5,
      permittedExtensions: 'pdf',
      confirmsSender: true,
      isOpen: true,
      createdAt: 1,
      updatedAt: 2,
    };
    await rows.changes(page, (tx) => updateSystemDrop(tx, changed), {
      name: 'work',
      title: 'Work',
      intro: 'Hello',
      receivers: '["alice"]',
      max_size: 5,
      file_types: 'pdf',
      confirms_sender: 1,
      is_open: 1,
      created_at: 1,
      updated_at: 2,
    });
    await rows.changes(page, (tx) => deleteSystemDrop(tx, 'page'), null);
  });

  test('its deliveries are counted, recent ones or all', async () => {
    const delivery: Among<'messages'> = {
      table: 'messages',
      right: { id: 'delivery', system_drop_id: 'page', created_at: 6 },
      wrong: { system_drop_id: ['other', null], created_at: [5, 8] },
    };
    await rows.finds(delivery, (db) => countDropDeliveries(db, 'page', { since: 5, now: 7 }), 1);
    const all = async (db: Query) => [...(await listDropDeliveries(db))];
    await rows.finds({ ...delivery, wrong: { system_drop_id: null } }, all, [['page', { count: 1, lastAt: 6 }]]);
  });

  test('holding one changes none', async () => {
    rows.put('system_drops', { ...page.right, updated_at: 3 }, { ...page.right, id: 'other', name: 'other' });
    const before = rows.all('system_drops');
    await lockSystemDrop(rows.db, 'page');
    assert.deepEqual(rows.all('system_drops'), before);
  });
});
