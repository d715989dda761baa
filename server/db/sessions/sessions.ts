// Queries on browser sessions. Only keyed hashes of their tokens are stored.
import type { Session } from '../../domain/sessions.ts';
import { deleteRememberedBrowsersOf } from '../passkeys/second-steps.ts';
import type { Query, SessionsTable, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

const sessions = defineTable<SessionsTable>()(({ plain, flags, as }) => ({
  ...plain('id_hash', 'user_id', 'state', 'created_at', 'active_at', 'expires_at'),
  ...flags('is_kept', 'has_second_step'),
  address: as('remote_ip'),
  agent: as('user_agent'),
}));

export async function insertSession(tx: Tx, session: Session): Promise<void> {
  await tx.insertInto('sessions').values(sessions.write(session)).execute();
}

export async function findSession(db: Query, idHash: Buffer, now: number): Promise<Session | undefined> {
  const row = await db
    .selectFrom('sessions')
    .selectAll()
    .where('id_hash', '=', idHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row && sessions.read(row);
}

/** Last used first. */
export async function listSessionsOf(db: Query, userId: string, now: number): Promise<Session[]> {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('state', '=', 'active')
    .where('expires_at', '>', now)
    .orderBy('active_at', 'desc')
    .limit(200)
    .execute();
  return sessions.readAll(rows);
}

export async function touchSession(tx: Tx, idHash: Buffer, now: number): Promise<void> {
  await tx.updateTable('sessions').set({ active_at: now }).where('id_hash', '=', idHash).execute();
}

/** False when it had ended. */
export async function deleteSession(tx: Tx, idHash: Buffer): Promise<boolean> {
  const deleted = await tx.deleteFrom('sessions').where('id_hash', '=', idHash).executeTakeFirst();
  return Number(deleted.numDeletedRows) === 1;
}

/** After a new password, a new role, or when an account is disabled. Remembered browsers end with them. */
export async function deleteSessionsOf(tx: Tx, userId: string): Promise<void> {
  await deleteRememberedBrowsersOf(tx, userId);
  await tx.deleteFrom('sessions').where('user_id', '=', userId).execute();
}

/** Returns how many sessions ended. Remembered browsers end with them. */
export async function deleteOtherSessions(tx: Tx, userId: string, keptHash: Buffer | null): Promise<number> {
  await deleteRememberedBrowsersOf(tx, userId);
  let query = tx.deleteFrom('sessions').where('user_id', '=', userId);
  if (keptHash !== null) query = query.where('id_hash', '<>', keptHash);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

export async function deleteOldSessions(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('sessions').where('expires_at', '<', now).execute();
}
