import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import type { Db, Tables, Tx } from '#server/db/schema/schema.ts';
import {
  countPart,
  deleteClosedUploads,
  listIdleUploads,
  listOpenUploadsOf,
  markConflict,
  resetUpload,
  setTypes,
  setUploadState,
  touchSealing,
  touchUpload,
} from '#server/db/uploads/uploads.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

type Row = Tables['uploads'];
const states: Row['state'][] = ['open', 'sealing', 'ready', 'failed', 'abandoned'];

onOneEngine('Among other uploads', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const alice = usePerson(app, 'alice');
  let db: Db;
  let begun: Row;
  before(async () => {
    ({ db } = app.app.ctx);
    await alice.expect(200, 'uploadForLink', {
      query: { filename: 'plan.txt', chunk: '0', chunks: '9' },
      bytes: 'half',
      headers: { 'content-type': 'application/octet-stream' },
    });
    begun = await db.read.selectFrom('uploads').selectAll().executeTakeFirstOrThrow();
  });

  const upload = (id: string, columns: Partial<Row>): Row => ({
    ...begun,
    id,
    name_lookup: Buffer.from(id),
    created_at: 5,
    active_at: 10,
    ...columns,
  });
  async function uploads(rows: Row[]): Promise<void> {
    await db.write(async (tx) => {
      await tx.deleteFrom('parts').execute();
      await tx.deleteFrom('uploads').execute();
      await tx.insertInto('uploads').values(rows).execute();
    });
  }
  const all = async () =>
    new Map((await db.read.selectFrom('uploads').selectAll().execute()).map((row) => [row.id, row]));

  // Two of each, to detect a statement without a condition on the id.
  beforeEach(() => uploads(states.flatMap((state) => [upload(state, { state }), upload(`${state} too`, { state })])));

  /** The changes of a statement on the first upload of each state, by the state. */
  async function changes(work: (tx: Tx, id: string) => Promise<unknown>): Promise<Record<string, Partial<Row>>> {
    const found: Record<string, Partial<Row>> = {};
    for (const id of states) {
      const earlier = await all();
      await db.write((tx) => work(tx, id));
      const later = await all();
      for (const [other, row] of earlier)
        if (other !== id) assert.deepEqual(later.get(other), row, `${id} touched ${other}`);
      const [was, is] = [earlier.get(id)!, later.get(id)!];
      const changed = Object.entries(is).filter(([name, value]) => was[name as keyof Row] !== value);
      const known = changed.filter(([, value]) => !(value instanceof Uint8Array));
      if (known.length > 0) found[id] = Object.fromEntries(known);
    }
    return found;
  }

  test('a part is counted while its upload is open, not in conflict and the same', async () => {
    const counted = await changes((tx, id) => countPart(tx, { id, begunAt: 5 }, 100, 77));
    const { part_count, received_bytes } = begun;
    const more = { part_count: part_count + 1, received_bytes: received_bytes + 100, active_at: 77 };
    assert.deepEqual(counted, { open: more });
    assert.deepEqual(await changes((tx, id) => countPart(tx, { id, begunAt: 6 }, 100, 78)), {});
    await uploads([upload('open', { has_conflict: 1 })]);
    assert.equal(await db.write((tx) => countPart(tx, { id: 'open', begunAt: 5 }, 100, 79)), false);
  });

  test('a state changes only to the states that may follow, and leaves no key', async () => {
    const ended = await changes((tx, id) => setUploadState(tx, id, ['open', 'sealing'], 'failed'));
    const failed = { state: 'failed', data_key_wrapped: null };
    assert.deepEqual(ended, { open: failed, sealing: failed });
  });

  test('only an open upload is marked as in conflict, or begins again', async () => {
    assert.deepEqual(await changes(markConflict), { open: { has_conflict: 1 } });
    const again = await changes((tx, id) => resetUpload(tx, id, 88));
    assert.deepEqual(again, {
      open: { part_count: 0, received_bytes: 0, has_conflict: 0, created_at: 88, active_at: 88 },
    });
  });

  test('heartbeats and types are those of one upload', async () => {
    assert.deepEqual(await changes((tx, id) => touchSealing(tx, [id], 99)), { sealing: { active_at: 99 } });
    const touched = await changes((tx, id) => touchUpload(tx, id, 111));
    assert.deepEqual(touched, Object.fromEntries(states.map((state) => [state, { active_at: 111 }])));
    const typed = await changes((tx, id) => setTypes(tx, id, { declared: 'a/b', detected: null }));
    assert.deepEqual(typed.open, { declared_type: 'a/b' });
    assert.deepEqual(await changes((tx, id) => setTypes(tx, id, { declared: null, detected: null })), {});
  });

  test('silent uploads are found by their state, longest silent first, and not more than requested', async () => {
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
    await uploads([
      upload('later', { active_at: 9 }),
      upload('first', { active_at: 8 }),
      upload('now', { active_at: 10 }),
      upload('sealing', { state: 'sealing', active_at: 9 }),
      upload('over', { state: 'failed', active_at: 1 }),
    ]);
    assert.deepEqual(ids(await listIdleUploads(db.read, 10, 9)), ['first', 'later']);
    assert.deepEqual(ids(await listIdleUploads(db.read, 10, 1)), ['first']);
    assert.deepEqual(ids(await listOpenUploadsOf(db.read, idOf(alice))).toSorted(), ['first', 'later', 'now']);
    assert.deepEqual(await listOpenUploadsOf(db.read, idOf(app.admin)), []);
  });

  test('closed ones are deleted when they are old, not more than requested at a time', async () => {
    await uploads([
      ...states.map((state) => upload(state, { state, active_at: 9 })),
      upload('young', { state: 'ready' }),
    ]);
    assert.equal(await db.write((tx) => deleteClosedUploads(tx, 10, 2)), 2);
    assert.equal(await db.write((tx) => deleteClosedUploads(tx, 10, 9)), 1);
    assert.deepEqual([...(await all()).keys()].toSorted(), ['open', 'sealing', 'young']);
  });
});
