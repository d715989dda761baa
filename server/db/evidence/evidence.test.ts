// Statements about the log of evidence, among heads, checkpoints and keys that are nearly the one that is meant.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { encodeBundle } from '../../lib/tlog/tiles.ts';
import type { Query } from '../schema/schema.ts';
import {
  addEvidenceKey,
  advanceLog,
  findCheckpoint,
  findLogHead,
  findSigningKeyId,
  findStepOf,
  listCheckpointsAfter,
  listEvidenceKeys,
  listWitnesses,
  saveCosignature,
} from './evidence.ts';

describe('The log of evidence', () => {
  const rows = useRows({ isReversed: true });
  const head: Among<'evidence_log'> = {
    table: 'evidence_log',
    right: { id: 1, size: 3, note: 'old' },
    wrong: { id: 2 },
  };

  test('has one head', async () => {
    await rows.finds(head, async (db) => (await findLogHead(db))?.note, 'old');
  });

  test('grows from where it ends', async () => {
    const next = { origin: '', size: 5, lastSeq: 7, edge: [Buffer.from('tile')], note: 'new', sealedAt: 9 };
    const becomes = { size: 5, last_seq: 7, edge: encodeBundle(next.edge), note: 'new', sealed_at: 9 };
    rows.put('evidence_checkpoints');
    await rows.changes({ ...head, wrong: { id: 2, size: [2, 4] } }, (tx) => advanceLog(tx, 3, next), becomes);
    assert.deepEqual(await findCheckpoint(rows.db, 5), {
      size: 5,
      lastSeq: 7,
      note: 'new',
      cosignatures: '',
      createdAt: 9,
    });
  });

  test('has checkpoints in order of size, from behind one on', async () => {
    const sizes = async (db: Query) => (await listCheckpointsAfter(db, 3, 2)).map(({ size }) => size);
    await rows.finds({ table: 'evidence_checkpoints', right: { size: 4 }, wrong: { size: 3 } }, sizes, [4]);
    rows.put('evidence_checkpoints', ...[3, 6, 5, 7].map((size) => ({ size })));
    assert.deepEqual(await sizes(rows.db), [5, 6]);
  });

  test('has one checkpoint of a size', async () => {
    const find = async (db: Query) => (await findCheckpoint(db, 4))?.note;
    await rows.finds({ table: 'evidence_checkpoints', right: { size: 4, note: 'n' }, wrong: { size: 3 } }, find, 'n');
  });

  test('has an event in the step after the last checkpoint before it', async () => {
    const steps = [20, 40, 10, 30].map((last_seq) => ({ size: last_seq / 10, last_seq }));
    rows.put('evidence_checkpoints', ...steps);
    assert.deepEqual(await findStepOf(rows.db, 30), { size: 2, lastSeq: 20 });
    assert.deepEqual(await findStepOf(rows.db, 10), { size: 0, lastSeq: 0 });
    assert.deepEqual(await findStepOf(rows.db, 40), { size: 3, lastSeq: 30 });
    assert.equal(await findStepOf(rows.db, 41), null);
  });

  test('is signed by the last of its keys, the only private one that is stored', async () => {
    const sealed = Buffer.from('old');
    rows.put('evidence_keys', { id: 2, sealed }, { id: 1, sealed }, { id: 4, sealed });
    const seed = Buffer.alloc(32, 7);
    await addEvidenceKey(rows.db, { id: 3, verifierKey: 'key', seed, endorsement: 'by 2', createdAt: 9 });
    const left = rows.all('evidence_keys').map((row) => [row.id, row.sealed !== null]);
    assert.deepEqual(left.sort(), [
      [1, false],
      [2, false],
      [3, true],
      [4, true],
    ]);
    assert.equal(await findSigningKeyId(rows.db), 4);
    rows.put('evidence_keys', { id: 2 }, { id: 3 }, { id: 1 });
    assert.deepEqual(
      (await listEvidenceKeys(rows.db)).map(({ id }) => id),
      [1, 2, 3],
    );
  });

  test('stores the line of a witness with its checkpoint, and lists the latest witness first', async () => {
    const witness = {
      verifierKey: 'witness',
      size: 4,
      witnessedAt: 9,
      createdAt: 1,
      failingSince: null,
      lastError: '',
    };
    const among: Among<'evidence_checkpoints'> = {
      table: 'evidence_checkpoints',
      right: { size: 4 },
      wrong: { size: 3 },
    };
    rows.put('evidence_witnesses');
    await rows.changes(among, (tx) => saveCosignature(tx, witness, 'line'), { cosignatures: 'line' });
    await saveCosignature(rows.db, { ...witness, size: 5, witnessedAt: 10, createdAt: 2 }, 'line');
    await saveCosignature(rows.db, { ...witness, verifierKey: 'other', witnessedAt: 11 }, 'line');
    await saveCosignature(rows.db, { ...witness, verifierKey: 'third', witnessedAt: 8 }, 'line');
    const seen = (await listWitnesses(rows.db)).map(({ verifierKey, size, createdAt }) => [
      verifierKey,
      size,
      createdAt,
    ]);
    assert.deepEqual(seen, [
      ['other', 4, 1],
      ['witness', 5, 1],
      ['third', 4, 1],
    ]);
  });
});
