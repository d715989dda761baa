// The head of the event log, its checkpoints, keys and witnesses.
import { decodeBundle, encodeBundle } from '../../lib/tlog/tiles.ts';
import { lockRows } from '../engine/row-locks.ts';
import type {
  EvidenceCheckpointsTable,
  EvidenceKeysTable,
  EvidenceLogTable,
  EvidenceWitnessesTable,
} from '../schema/evidence.ts';
import type { LockedDb, Query, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

export interface LogHead {
  origin: string;
  size: number;
  lastSeq: number;
  /** The rightmost tile of each level (lib/tlog/growth.ts). */
  edge: Buffer[];
  /** The last checkpoint, signed; empty while the log has no entries. */
  note: string;
  sealedAt: number;
}

const heads = defineTable<EvidenceLogTable>()(({ plain, mapped }) => ({
  ...plain('origin', 'size', 'last_seq', 'note', 'sealed_at'),
  edge: mapped('edge', decodeBundle, encodeBundle),
}));

export async function findLogHead(db: Query): Promise<LogHead | null> {
  const row = await db.selectFrom('evidence_log').selectAll().where('id', '=', 1).executeTakeFirst();
  return row === undefined ? null : heads.read(row);
}

/** When the oldest event was recorded that the log does not have yet; null when it has all. */
export async function findOldestUnsealed(db: LockedDb['read']): Promise<number | null> {
  const row = await db
    .selectFrom('events')
    .select('at')
    .where('seq', '>', (eb) => eb.fn.coalesce(eb.selectFrom('evidence_log').select('last_seq'), eb.lit(0)))
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : Number(row.at);
}

/** Does nothing if there is a log. */
export async function createLog(tx: Tx, origin: string, now: number): Promise<void> {
  await tx
    .insertInto('evidence_log')
    .values({ id: 1, ...heads.write({ origin, size: 0, lastSeq: 0, edge: [], note: '', sealedAt: now }) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Appends a step with its checkpoint; false, without a change, unless the log ends at `fromSize`. */
export async function advanceLog(tx: Tx, fromSize: number, head: LogHead): Promise<boolean> {
  const updated = await tx
    .updateTable('evidence_log')
    .set(heads.write(head))
    .where('id', '=', 1)
    .where('size', '=', fromSize)
    .executeTakeFirst();
  if (Number(updated.numUpdatedRows) !== 1) return false;
  await tx
    .insertInto('evidence_checkpoints')
    .values(checkpoints.write({ ...head, cosignatures: '', createdAt: head.sealedAt }))
    .execute();
  return true;
}

export interface StoredCheckpoint {
  size: number;
  lastSeq: number;
  note: string;
  cosignatures: string;
  createdAt: number;
}

const checkpoints = defineTable<EvidenceCheckpointsTable>()(({ plain }) =>
  plain('size', 'last_seq', 'note', 'cosignatures', 'created_at'),
);

export async function listCheckpointsAfter(db: Query, size: number, limit: number): Promise<StoredCheckpoint[]> {
  const query = db
    .selectFrom('evidence_checkpoints')
    .select(checkpoints.select('evidence_checkpoints'))
    .where('size', '>', size);
  return checkpoints.readAll(await query.orderBy('size').limit(limit).execute());
}

export async function findCheckpoint(db: Query, size: number): Promise<StoredCheckpoint | null> {
  const query = db
    .selectFrom('evidence_checkpoints')
    .select(checkpoints.select('evidence_checkpoints'))
    .where('size', '=', size);
  const row = await query.executeTakeFirst();
  return row === undefined ? null : checkpoints.read(row);
}

/** Before its cosignatures change: two witnesses can sign at the same time. */
export async function lockCheckpoint(tx: Tx, size: number): Promise<StoredCheckpoint | null> {
  await lockRows(tx, tx.selectFrom('evidence_checkpoints').select('size').where('size', '=', size)).execute();
  return findCheckpoint(tx, size);
}

/** The start of the step in which an event was sealed, and the last event before it. */
export async function findStepOf(db: Query, seq: number): Promise<{ size: number; lastSeq: number } | null> {
  const covering = await db
    .selectFrom('evidence_checkpoints')
    .select('size')
    .where('last_seq', '>=', seq)
    .limit(1)
    .executeTakeFirst();
  if (covering === undefined) return null;
  const before = await db
    .selectFrom('evidence_checkpoints')
    .select(['size', 'last_seq'])
    .where('last_seq', '<', seq)
    .orderBy('last_seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { size: Number(before?.size ?? 0), lastSeq: Number(before?.last_seq ?? 0) };
}

/** The last checkpoints of all witnesses, newest first. */
export async function listWitnessedCheckpoints(db: Query): Promise<StoredCheckpoint[]> {
  const query = db
    .selectFrom('evidence_checkpoints')
    .select(checkpoints.select('evidence_checkpoints'))
    .where('size', 'in', (eb) => eb.selectFrom('evidence_witnesses').select('size'));
  return checkpoints.readAll(await query.orderBy('size', 'desc').execute());
}

export interface EvidenceKey {
  id: number;
  verifierKey: string;
  /** 32 bytes; null for a replaced key. */
  seed: Buffer | null;
  endorsement: string;
  createdAt: number;
}

const keys = defineTable<EvidenceKeysTable>()(({ plain }) => plain('id', 'verifier_key', 'endorsement', 'created_at'));

/** Oldest first; the last one signs. */
export async function listEvidenceKeys(db: Query): Promise<EvidenceKey[]> {
  const rows = await db.selectFrom('evidence_keys').selectAll().orderBy('id').execute();
  return rows.map((row) => ({
    ...keys.read(row),
    seed: row.sealed === null ? null : db.keys.open('evidence-key', row.sealed, String(row.id)),
  }));
}

/** Null before the first. */
export async function findSigningKeyId(db: Query): Promise<number | null> {
  const row = await db
    .selectFrom('evidence_keys')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Adds a key and destroys the private parts of earlier ones. Fails when another process has added this one. */
export async function addEvidenceKey(tx: Tx, key: EvidenceKey & { seed: Buffer }): Promise<void> {
  await tx
    .insertInto('evidence_keys')
    .values({ ...keys.write(key), sealed: tx.keys.seal('evidence-key', key.seed, String(key.id)) })
    .execute();
  await tx.updateTable('evidence_keys').set({ sealed: null }).where('id', '<', key.id).execute();
}

export interface Witness {
  verifierKey: string;
  /** Signed entries; 0 if none. */
  size: number;
  /** 0 if never. */
  witnessedAt: number;
  createdAt: number;
  failingSince: number | null;
  lastError: string;
}

const witnesses = defineTable<EvidenceWitnessesTable>()(({ plain }) =>
  plain('verifier_key', 'size', 'witnessed_at', 'created_at', 'failing_since', 'last_error'),
);

export async function listWitnesses(db: Query): Promise<Witness[]> {
  const rows = await db.selectFrom('evidence_witnesses').selectAll().orderBy('witnessed_at', 'desc').execute();
  return witnesses.readAll(rows);
}

/** Stores the line of a witness with its checkpoint, and the progress of the witness. */
export async function saveCosignature(tx: Tx, witness: Witness, cosignatures: string): Promise<void> {
  await setCosignatures(tx, witness.size, cosignatures);
  await saveWitness(tx, witness);
}

export async function setCosignatures(tx: Tx, size: number, cosignatures: string): Promise<void> {
  await tx.updateTable('evidence_checkpoints').set({ cosignatures }).where('size', '=', size).execute();
}

export async function listCosignedCheckpoints(db: Query, after: number, limit: number): Promise<StoredCheckpoint[]> {
  const query = db
    .selectFrom('evidence_checkpoints')
    .select(checkpoints.select('evidence_checkpoints'))
    .where('size', '>', after);
  const rows = await query.where('cosignatures', '<>', '').orderBy('size').limit(limit).execute();
  return checkpoints.readAll(rows);
}

export async function deleteWitness(tx: Tx, verifierKey: string): Promise<boolean> {
  const deleted = await tx.deleteFrom('evidence_witnesses').where('verifier_key', '=', verifierKey).executeTakeFirst();
  return Number(deleted.numDeletedRows) === 1;
}

/** Adds a witness, or stores the progress of a known one. */
export async function saveWitness(tx: Tx, witness: Witness): Promise<void> {
  await tx
    .insertInto('evidence_witnesses')
    .values(witnesses.write(witness))
    .onConflict((conflict) =>
      conflict.column('verifier_key').doUpdateSet({
        size: witness.size,
        witnessed_at: witness.witnessedAt,
        failing_since: witness.failingSince,
        last_error: witness.lastError,
      }),
    )
    .execute();
}
