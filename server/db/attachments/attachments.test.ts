import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { AttachmentsTable, Query, Tx } from '../schema/schema.ts';
import {
  countAttachments,
  countErasableAttachments,
  eraseAttachment,
  findAttachment,
  findFileNames,
  finishAttachment,
  holdAttachmentAgain,
  holdAttachments,
  listAttachmentIdsOf,
  listAttachments,
  listErasableAttachments,
  listOwnersToPurge,
  listUndelivered,
  releaseAttachment,
  setAttachmentState,
} from './attachments.ts';

const file: Among<'attachments'> = {
  table: 'attachments',
  right: { id: 'file', owner_id: 'alice', source: '', state: 'ready', reference_count: 1, created_at: 10 },
  wrong: {},
};
const among = (right: Partial<AttachmentsTable>, wrong: Among<'attachments'>['wrong']): Among<'attachments'> => ({
  table: 'attachments',
  right: { ...file.right, ...right },
  wrong,
});
const notReady: AttachmentsTable['state'][] = ['sealing', 'damaged', 'failed', 'erased'];
const ids = (found: { id: string }[]) => found.map(({ id }) => id);

describe('A file', () => {
  const rows = useRows();

  test('is found by its id, and so is its name', async () => {
    const name_sealed = rows.db.keys.sealText('name', 'plan.pdf', 'file');
    const one = among({ name_sealed }, { id: 'other' });
    await rows.finds(one, async (db) => (await findAttachment(db, 'file'))?.fileName, 'plan.pdf');
    rows.put('attachments', one.right, { id: 'other' });
    assert.deepEqual(await findFileNames(rows.db, ['file']), new Map([['file', 'plan.pdf']]));
  });

  test('is ready once its checksum is there, if it was waiting for one', async () => {
    const sealing = among({ state: 'sealing' }, { id: 'other', state: ['ready', 'damaged', 'failed', 'erased'] });
    const finished = async (tx: Query & Tx) => {
      await finishAttachment(tx, 'file', 'ab'.repeat(32), 7);
      const file = await findAttachment(tx, 'file');
      return file && [file.state, file.sha256, file.crc32, file.processedAt];
    };
    const name_sealed = rows.db.keys.sealText('name', 'plan.pdf', 'file');
    const waiting = among({ ...sealing.right, name_sealed, crc32: '00c0ffee' }, {});
    await rows.finds(waiting, finished, ['ready', 'ab'.repeat(32), '00c0ffee', 7]);
    await rows.finds(sealing, (tx) => finishAttachment(tx, 'file', 'ab'.repeat(32), 7), true);
  });

  test('becomes damaged, unless it was erased', async () => {
    const kept = among({}, { id: 'other', state: 'erased' });
    await rows.changes(kept, (tx) => setAttachmentState(tx, 'file', 'damaged'), { state: 'damaged' });
  });

  test('is erased if nothing shares it, or with its owner', async () => {
    rows.put('legal_holds', { id: 'hold', target_kind: 'user', target_id: 'held' });
    const waiting = { reference_count: 0, size_bytes: 9, data_key_wrapped: Buffer.from('key'), erase_after_uptime: 5 };
    const wrong: Among<'attachments'>['wrong'] = { id: 'other', state: 'erased' };
    const becomes = { state: 'erased', data_key_wrapped: null, erase_after_uptime: null } as const;
    const free = among(waiting, { ...wrong, reference_count: 1 });
    await rows.changes(free, (tx) => eraseAttachment(tx, 'file', false), becomes);
    const destroyedKey = { wrapped: Buffer.from('key'), keyId: 0 };
    const gone = { ownerId: 'alice', source: '', sizeBytes: 9, isKept: false, destroyedKey };
    await rows.finds(free, (tx) => eraseAttachment(tx, 'file', false), gone);
    const held = among({ ...waiting, reference_count: 1 }, wrong);
    await rows.changes(held, (tx) => eraseAttachment(tx, 'file', true), becomes);
    const onHold = among({ ...waiting, owner_id: 'held' }, { id: 'other', state: 'erased', reference_count: 1 });
    const kept = { state: 'erased', erase_after_uptime: null } as const;
    await rows.changes(onHold, (tx) => eraseAttachment(tx, 'file', false), kept);
  });
});

describe('A file is held', () => {
  // SQLite finds files by id, so rows inserted in order would hide a missing `order by`.
  const rows = useRows({ isReversed: true });
  const hold = async (...wanted: string[]) =>
    ids(await holdAttachments(rows.db, wanted, { ownerId: 'alice', source: 'request:1' }));

  test('once more, when it is ready, of this owner and from this source', async () => {
    const wrong: Among<'attachments'>['wrong'] = { id: 'other', owner_id: 'bob', source: '', state: notReady };
    const handedIn = among({ source: 'request:1', erase_after_uptime: 5 }, wrong);
    const becomes = { reference_count: 2, erase_after_uptime: null, source: '' };
    await rows.changes(handedIn, () => hold('file'), becomes);
    await rows.finds(handedIn, () => hold('file'), ['file']);
    rows.put('attachments', handedIn.right, { ...handedIn.right, id: 'beside' });
    await hold('file');
    assert.equal(rows.all('attachments').find(({ id }) => id === 'beside')?.reference_count, 1);
  });

  test('by no transfer if it was erased after it was read', async () => {
    const handedIn = { ...file.right, source: 'request:1' };
    const changed = <Target extends object>(target: Target, names: Record<string, unknown>) =>
      new Proxy(target, {
        get(_, name) {
          const own: unknown = names[String(name)] ?? Reflect.get(target, name);
          return typeof own === 'function' ? own.bind(target) : own;
        },
      });
    const executor = rows.db.getExecutor();
    const executeQuery = (query: CompiledQuery) => {
      if (query.sql.startsWith('update')) rows.put('attachments', { ...handedIn, state: 'erased' });
      return executor.executeQuery(query);
    };
    rows.put('attachments', handedIn);
    const meanwhile = changed(rows.db, { getExecutor: () => changed(executor, { executeQuery }) });
    assert.deepEqual(await holdAttachments(meanwhile, ['file'], { ownerId: 'alice', source: 'request:1' }), []);
    assert.equal(rows.all('attachments')[0]?.reference_count, 1);
  });

  test('in the order of ids, so that two who hold the same files do not wait for each other', async () => {
    const one = (id: string) => ({ ...file.right, id, source: 'request:1' });
    rows.put('attachments', one('b'), one('a'), one('c'));
    assert.deepEqual(await hold('c', 'a', 'b'), ['a', 'b', 'c']);
  });

  test('again, where it was delivered and is ready', async () => {
    const delivered = among({ erase_after_uptime: 5 }, { id: 'other', source: 'request:1', state: notReady });
    const becomes = { reference_count: 2, erase_after_uptime: null };
    await rows.changes(delivered, (tx) => holdAttachmentAgain(tx, 'file'), becomes);
    await rows.finds(delivered, (tx) => holdAttachmentAgain(tx, 'file'), true);
  });

  test('no more after the last release, and never by fewer than zero', async () => {
    const wrong = { id: 'other', reference_count: 0 };
    const becomes = { reference_count: 0, erase_after_uptime: 50 };
    await rows.changes(among({}, wrong), (tx) => releaseAttachment(tx, 'file', 50), becomes);
    const one = { reference_count: 1, erase_after_uptime: null };
    await rows.changes(among({ reference_count: 2 }, wrong), (tx) => releaseAttachment(tx, 'file', 50), one);
  });
});

describe('A list of files', () => {
  const rows = useRows();
  before(() => rows.put('legal_holds', { id: 'hold', target_kind: 'user', target_id: 'held' }));
  const list = async (db: Query) => ids(await listAttachments(db, 'alice', { createdAt: 9, id: 'm' }, 3));

  test('has those of a person that can be used, in order of time, then of ids', async () => {
    const wrong: Among<'attachments'>['wrong'] = {
      owner_id: 'bob',
      source: 'request:1',
      state: ['damaged', 'failed', 'erased'],
      created_at: [8, 9],
    };
    await rows.finds(among({}, wrong), list, ['file']);
    const made = (id: string, created_at: number) => ({ ...file.right, id, created_at });
    rows.put('attachments', made('c', 11), made('b', 11), made('d', 12), made('n', 9), made('e', 10));
    assert.deepEqual(await list(rows.db), ['n', 'e', 'b']);
  });

  test('has what outside senders uploaded, and never files of the owner', async () => {
    const wrong: Among<'attachments'>['wrong'] = { owner_id: 'bob', source: ['', 'request:2'], state: 'erased' };
    const handedIn = among({ source: 'request:1' }, wrong);
    await rows.finds(handedIn, (db) => listUndelivered(db, 'alice', 'request:1', 2), ['file']);
    rows.put('attachments', ...['a', 'b', 'c'].map((id) => ({ ...handedIn.right, id })));
    assert.equal((await listUndelivered(rows.db, 'alice', 'request:1', 2)).length, 2);
    rows.put('attachments', file.right);
    assert.deepEqual(await listUndelivered(rows.db, 'alice', '', 2), []);
  });

  test('has what waits for its erasure, the longest first', async () => {
    const due = among({ erase_after_uptime: 5 }, { erase_after_uptime: [6, null] });
    await rows.finds(due, (db) => listErasableAttachments(db, 5, 2), ['file']);
    await rows.finds(due, (db) => countErasableAttachments(db, 5), 1);
    const dueAt = (erase_after_uptime: number) => ({ ...due.right, id: `${erase_after_uptime}`, erase_after_uptime });
    rows.put('attachments', dueAt(2), dueAt(1), dueAt(3));
    assert.deepEqual(await listErasableAttachments(rows.db, 5, 2), ['1', '2']);
  });

  test('has what is not erased, of one person or of all', async () => {
    const kept = among({}, { state: 'erased' });
    const own = among({}, { state: 'erased', owner_id: 'bob' });
    await rows.finds(own, (db) => listAttachmentIdsOf(db, 'alice'), ['file']);
    await rows.finds(kept, countAttachments, 1);
  });

  test('has deleted people who still have files, each once', async () => {
    const deleted = (id: string) => ({ id, email: id, state: 'deleted' }) as const;
    rows.put('users', deleted('alice'), { id: 'bob', email: 'bob', state: 'disabled' });
    const left = among({}, { owner_id: 'bob', state: 'erased' });
    await rows.finds(left, (db) => listOwnersToPurge(db, 2), ['alice']);
    rows.put('users', ...['a', 'b', 'c'].map(deleted));
    rows.put('attachments', ...['a', 'b', 'c'].map((id) => ({ ...file.right, id, owner_id: id })));
    assert.equal((await listOwnersToPurge(rows.db, 2)).length, 2);
  });
});
