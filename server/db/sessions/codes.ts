// Queries on mailed codes, and on browsers that have confirmed an address with one. Only keyed hashes are stored.
import { sql } from 'kysely';
import type { CodesTable, Query, Tx } from '../schema/schema.ts';
import { deleteSurplusRows, rowLimits } from '../system/row-limits.ts';
import { defineTable } from '../table.ts';

/** A code that was mailed, or that seems to have been. */
export interface NewCode {
  id: string;
  address: string;
  target: string;
  /** Of the browser that requested it. */
  nonceHash: Buffer;
  codeHash: Buffer;
  network: string;
  createdAt: number;
  expiresAt: number;
  /** Of the token in the button of its mail. */
  linkHash: Buffer;
  /** The delivery to a drop page that waits for it. */
  dropKeyId: string | null;
  isUnknown: boolean;
}

const codes = defineTable<CodesTable>()(({ plain, flags }) => ({
  ...plain('id', 'address', 'target', 'nonce_hash', 'code_hash', 'network', 'created_at', 'expires_at'),
  ...plain('link_hash', 'drop_key_id'),
  ...flags('is_unknown'),
}));

export async function insertCode(tx: Tx, code: NewCode): Promise<void> {
  await tx
    .insertInto('codes')
    .values({ ...codes.write(code), tries: 0, state: 'issued', link_state: 'open' })
    .execute();
  await deleteSurplusRows(tx, rowLimits.codes, code.id);
}

/** A limit counts codes that agree in all of these. */
export interface CodeScope {
  address?: string;
  target?: string;
  network?: string;
  /** Leaves out codes for targets that do not exist. */
  isKnown?: true;
}

/** When the newest codes were requested, newest first, for one of the limits. */
export async function listCodeTimes(
  db: Query,
  scope: CodeScope,
  { since, limit }: { since: number; limit: number },
): Promise<number[]> {
  const { isKnown, ...columns } = scope;
  const rows = await db
    .selectFrom('codes')
    .select('created_at')
    .where((eb) => eb.and(columns))
    .$if(isKnown === true, (query) => query.where('is_unknown', '=', 0))
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => row.created_at);
}

/** For whom, for what and from where codes of these addresses were requested. */
export function listCodesOf(
  db: Query,
  addresses: readonly string[],
): Promise<{ address: string; target: string; network: string }[]> {
  return db
    .selectFrom('codes')
    .select(['address', 'target', 'network'])
    .distinct()
    .where('address', 'in', [...addresses])
    .execute();
}

/** A code can be typed into the browser that requested it, or its button can be used anywhere. */
export interface Code {
  id: string;
  address: string;
  target: string;
  nonceHash: Buffer;
  codeHash: Buffer;
  state: 'issued' | 'used' | 'burned';
  /** The button works once, independently of the code. */
  linkState: 'open' | 'used';
  createdAt: number;
  expiresAt: number;
  dropKeyId: string | null;
}

/** The newest code of this browser for this target, in any state. */
export async function findCode(db: Query, nonceHash: Buffer, target: string): Promise<Code | undefined> {
  return selectCodes(db)
    .where('nonce_hash', '=', nonceHash)
    .where('target', '=', target)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function findCodeByLink(db: Query, linkHash: Buffer): Promise<Code | undefined> {
  return selectCodes(db).where('link_hash', '=', linkHash).executeTakeFirst();
}

function selectCodes(db: Query) {
  return db
    .selectFrom('codes')
    .select([
      'id',
      'address',
      'target',
      'nonce_hash as nonceHash',
      'code_hash as codeHash',
      'state',
      'link_state as linkState',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'drop_key_id as dropKeyId',
    ]);
}

/** True for exactly one of concurrent uses of the button. */
export async function consumeCodeLink(tx: Tx, id: string, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('codes')
    .set({ link_state: 'used' })
    .where('id', '=', id)
    .where('link_state', '=', 'open')
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Counts one attempt; null when none was left, or the code has ended. */
export async function spendAttempt(
  tx: Tx,
  id: string,
  { most, now }: { most: number; now: number },
): Promise<number | null> {
  const row = await tx
    .updateTable('codes')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'issued')
    .where('tries', '<', most)
    .where('expires_at', '>', now)
    .returning('tries')
    .executeTakeFirst();
  return row?.tries ?? null;
}

/** True for exactly one of concurrent submissions. */
export async function consumeCode(tx: Tx, id: string): Promise<boolean> {
  const updated = await tx
    .updateTable('codes')
    .set({ state: 'used' })
    .where('id', '=', id)
    .where('state', '=', 'issued')
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function burnCode(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('codes').set({ state: 'burned' }).where('id', '=', id).where('state', '=', 'issued').execute();
}

export async function insertProof(
  tx: Tx,
  proof: { idHash: Buffer; address: string; now: number; expiresAt: number; passkeyId?: string },
): Promise<void> {
  const times = { created_at: proof.now, expires_at: proof.expiresAt, passkey_id: proof.passkeyId ?? '' };
  await tx
    .insertInto('proofs')
    .values({ id_hash: proof.idHash, address: proof.address, ...times })
    .onConflict((conflict) => conflict.columns(['id_hash', 'address']).doUpdateSet(times))
    .execute();
  await deleteSurplusRows(tx, rowLimits.proofs, proof.idHash);
}

export async function listProvenAddresses(db: Query, idHash: Buffer, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('proofs')
    .select('address')
    .where('id_hash', '=', idHash)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .execute();
  return rows.map((row) => row.address);
}

/** An address that a browser has proven. */
export interface AddressProof {
  address: string;
  /** Empty for a mailed code. */
  passkeyId: string;
  createdAt: number;
  expiresAt: number;
  /** Of the address, in any browser. */
  hasPasskey: boolean;
}

/** Newest first. */
export async function listProofs(db: Query, idHash: Buffer, now: number): Promise<AddressProof[]> {
  const rows = await db
    .selectFrom('proofs')
    .select(['address', 'passkey_id', 'created_at', 'expires_at'])
    .select(
      sql<number>`exists (select 1 from passkeys where passkeys.address = proofs.address and passkeys.address <> '')`.as(
        'has_passkey',
      ),
    )
    .where('id_hash', '=', idHash)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .execute();
  return rows.map((row) => ({
    address: row.address,
    passkeyId: row.passkey_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    hasPasskey: Boolean(row.has_passkey),
  }));
}

/** Ends confirmations, passkeys and codes of these addresses, whose owner may not come in any more. */
export async function endProofsOf(tx: Tx, addresses: readonly string[], now: number): Promise<void> {
  if (addresses.length === 0) return;
  await tx.deleteFrom('proofs').where('address', 'in', addresses).execute();
  await tx.deleteFrom('passkeys').where('address', 'in', addresses).where('address', '<>', '').execute();
  await tx
    .updateTable('codes')
    .set({ expires_at: now })
    .where('address', 'in', addresses)
    .where('expires_at', '>', now)
    .execute();
}

/** Codes count towards limits for a while after they expire. */
export async function deleteOldCodes(tx: Tx, now: number): Promise<void> {
  await tx
    .deleteFrom('codes')
    .where('expires_at', '<', now - 86_400_000)
    .execute();
  await tx.deleteFrom('proofs').where('expires_at', '<', now).execute();
}
