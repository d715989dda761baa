// Statements about links, each among links that are nearly the one that is meant.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { FileLinksTable, Query } from '../schema/schema.ts';
import {
  countActiveLinks,
  countFileLinks,
  endFileLink,
  findFileLink,
  findLinkPassword,
  findLinksOfAttachments,
  type LinkFilter,
  listExpiredFileLinks,
  listFileLinkIdsOf,
  listFileLinks,
  listFileLinksPage,
  updateFileLink,
} from './file-links.ts';

const link: Partial<FileLinksTable> = {
  id: 'link',
  owner_id: 'alice',
  attachment_id: 'file',
  state: 'active',
  expires_at: 101,
};
const among = (right: Partial<FileLinksTable>, wrong: Among<'file_links'>['wrong']): Among<'file_links'> => ({
  table: 'file_links',
  right: { ...link, ...right },
  wrong,
});
const ids = (found: { id: string }[]) => found.map(({ id }) => id);
const fileNamed = ({ keys }: Query, id: string) => ({ id, name_sealed: keys.sealText('name', id, id) });

describe('A link', () => {
  const rows = useRows();

  test('is found by its id, and so is its password', async () => {
    rows.put('attachments', fileNamed(rows.db, 'file'));
    const one = among({ password_hash: 'hash', password_version: 3 }, { id: 'other' });
    await rows.finds(one, async (db) => (await findFileLink(db, 'link'))?.id, 'link');
    const password = { passwordHash: 'hash', passwordVersion: 3 };
    await rows.finds(one, (db) => findLinkPassword(db, 'link'), password);
  });

  test('is changed while it is in the state it was seen in', async () => {
    const seen = among({}, { id: 'other', state: ['released', 'deleted'] });
    const change = (changes: Parameters<typeof updateFileLink>[2]) => () =>
      updateFileLink(rows.db, { id: 'link', state: 'active' }, changes, 7);
    await rows.changes(seen, change({ sendReceipt: true }), { send_receipt: 1, updated_at: 7 });
    await rows.finds(seen, change({ sendReceipt: true }), true);
    const locked = { password_hash: 'new', password_version: 1, updated_at: 7 };
    await rows.changes(seen, change({ passwordHash: 'new' }), locked);
  });

  test('ends once: by a user at any time, automatically when its day has passed', async () => {
    const deleted = { state: 'deleted', updated_at: 101 } as const;
    const live = among({}, { id: 'other', state: 'deleted' });
    await rows.changes(live, (tx) => endFileLink(tx, 'link', 'deleted', 101), deleted);
    const held = { attachmentId: 'file', heldFile: true };
    await rows.finds(live, (tx) => endFileLink(tx, 'link', 'deleted', 101), held);
    const over = among({}, { id: 'other', state: ['released', 'deleted'], expires_at: 102 });
    await rows.changes(over, (tx) => endFileLink(tx, 'link', 'released', 101), { ...deleted, state: 'released' });
  });
});

describe('Links', () => {
  const rows = useRows();

  test('of their owner are listed while they live, the newest first', async () => {
    rows.put('attachments', fileNamed(rows.db, 'file'));
    const wanted = { ownerId: 'alice', now: 100, before: null, limit: 3 };
    const wrong = among({}, { owner_id: 'bob', state: ['released', 'deleted'], expires_at: 100 });
    await rows.finds(wrong, async (db) => ids(await listFileLinks(db, wanted)), ['link']);
    const made = (id: string, created_at: number) => ({ ...link, id, created_at });
    rows.put('file_links', made('b', 2), made('c', 2), made('a', 3), made('d', 1));
    assert.deepEqual(ids(await listFileLinks(rows.db, wanted)), ['a', 'c', 'b']);
    const rest = { ...wanted, before: { createdAt: 2, id: 'c' } };
    assert.deepEqual(ids(await listFileLinks(rows.db, rest)), ['b', 'd']);
  });

  test('are over when their time has come, the longest over first', async () => {
    const over = among({}, { state: ['released', 'deleted'], expires_at: 102 });
    await rows.finds(over, (db) => listExpiredFileLinks(db, 101, 2), [{ id: 'link', ownerId: 'alice' }]);
    const at = (expires_at: number) => ({ ...link, id: `${expires_at}`, expires_at });
    rows.put('file_links', at(2), at(1), at(3));
    assert.deepEqual(ids(await listExpiredFileLinks(rows.db, 101, 2)), ['1', '2']);
  });

  test('of a user are all that were not deleted', async () => {
    const kept = among({}, { owner_id: 'bob', state: 'deleted' });
    await rows.finds(kept, (db) => listFileLinkIdsOf(db, 'alice'), ['link']);
  });

  test('of a file are those that live, in order of time', async () => {
    const find = async () => [...(await findLinksOfAttachments(rows.db, ['file'])).values()].flatMap(ids);
    await rows.finds(among({}, { attachment_id: 'other', state: ['released', 'deleted'] }), find, ['link']);
    const made = (id: string, created_at: number) => ({ ...link, id, created_at });
    rows.put('file_links', made('b', 2), made('c', 3), made('a', 1));
    assert.deepEqual(await find(), ['a', 'b', 'c']);
  });

  test('are counted while they live', async () => {
    const live = among({}, { state: ['released', 'deleted'], expires_at: 100 });
    await rows.finds(live, (db) => countActiveLinks(db, 100), 1);
  });
});

describe('The page of links', () => {
  const rows = useRows();
  const all: LinkFilter = { ownerId: 'alice', state: null, now: 100, endingBefore: 110 };
  before(() =>
    rows.put('attachments', ...['file', 'big'].map((id, size) => ({ ...fileNamed(rows.db, id), size_bytes: size }))),
  );

  test('has links of one owner, in the state that is asked for', async () => {
    const counted = (state: LinkFilter['state']) => () => countFileLinks(rows.db, { ...all, state });
    const ended: FileLinksTable['state'][] = ['released', 'deleted'];
    const owner_id = 'bob';
    await rows.finds(among({}, { owner_id, state: 'deleted' }), counted(null), 1);
    await rows.finds(among({ state: 'deleted' }, { owner_id, state: ['active', 'released'] }), counted('deleted'), 1);
    await rows.finds(among({}, { owner_id, state: ended, expires_at: 100 }), counted('live'), 1);
    await rows.finds(among({}, { owner_id, state: ended, expires_at: [100, 111] }), counted('ending'), 1);
    await rows.finds(among({ expires_at: 111 }, { owner_id, state: ended, expires_at: 110 }), counted('active'), 1);
    const over = among({ expires_at: 100 }, { owner_id, state: 'deleted', expires_at: 101 });
    await rows.finds(over, counted('expired'), 1);
    await rows.finds(among({ state: 'released' }, { state: ['active', 'deleted'] }), counted('expired'), 1);
  });

  test('is sorted as it is asked for, then by id', async () => {
    const made = (id: string, created_at: number) => ({ ...link, id, created_at, expires_at: -created_at });
    rows.put('file_links', made('c', 2), made('b', 2), { ...made('a', 3), attachment_id: 'big' }, made('d', 1));
    const list = async (by: 'createdAt' | 'expiresAt' | 'sizeBytes', direction: 'asc' | 'desc', offset: number) =>
      ids(await listFileLinksPage(rows.db, all, { by, direction }, { offset, limit: 3 }));
    assert.deepEqual(await list('createdAt', 'asc', 0), ['d', 'b', 'c']);
    assert.deepEqual(await list('createdAt', 'desc', 1), ['c', 'b', 'd']);
    assert.deepEqual(await list('expiresAt', 'asc', 0), ['a', 'b', 'c']);
    assert.deepEqual(await list('sizeBytes', 'desc', 0), ['a', 'd', 'c']);
  });
});
