// Queries on recovery codes and on browsers remembered as second step.
import type { Query, RememberedBrowsersTable, Tx } from '../schema/schema.ts';
import { defineTable, type ValuesOf } from '../table.ts';

/** Replaces all codes of an account. */
export async function saveRecoveryCodes(tx: Tx, userId: string, hashes: readonly Buffer[], now: number): Promise<void> {
  await deleteRecoveryCodes(tx, userId);
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ user_id: userId, code_hash: hash, created_at: now })))
    .execute();
}

export async function deleteRecoveryCodes(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
}

/** False if there is no such code, or it was used. */
export async function spendRecoveryCode(tx: Tx, userId: string, hash: Buffer): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .executeTakeFirst();
  return Number(deleted.numDeletedRows) === 1;
}

export async function countRecoveryCodes(db: Query, userId: string): Promise<number> {
  const row = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

const browsers = defineTable<RememberedBrowsersTable>()(({ plain, as }) => ({
  ...plain('token_hash', 'user_id', 'created_at', 'expires_at', 'used_at'),
  address: as('remote_ip'),
  agent: as('user_agent'),
}));

export type RememberedBrowser = ValuesOf<typeof browsers>;

export async function insertRememberedBrowser(tx: Tx, browser: RememberedBrowser): Promise<void> {
  const { token_hash: _, ...changes } = browsers.write(browser);
  await tx
    .insertInto('remembered_browsers')
    .values(browsers.write(browser))
    .onConflict((conflict) => conflict.column('token_hash').doUpdateSet(changes))
    .execute();
}

/** False if it is unknown, or expired. */
export async function noteRememberedUse(tx: Tx, userId: string, hash: Buffer, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('remembered_browsers')
    .set({ used_at: now })
    .where('token_hash', '=', hash)
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Newest first. */
export async function listRememberedBrowsers(db: Query, userId: string, now: number): Promise<RememberedBrowser[]> {
  const rows = await db
    .selectFrom('remembered_browsers')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .limit(100)
    .execute();
  return browsers.readAll(rows);
}

export async function deleteRememberedBrowser(tx: Tx, userId: string, hash: Buffer): Promise<void> {
  await tx.deleteFrom('remembered_browsers').where('user_id', '=', userId).where('token_hash', '=', hash).execute();
}

export async function deleteRememberedBrowsersOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('remembered_browsers').where('user_id', '=', userId).execute();
}

export async function deleteOldRememberedBrowsers(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('remembered_browsers').where('expires_at', '<', now).execute();
}
