// Queries on browser sessions. Only keyed hashes of their tokens are kept.
import type { Session } from '../../domain/sessions.ts';
import type { Query, SessionsTable, Tx } from '../schema/schema.ts';

export async function insertSession(tx: Tx, session: Session): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      id_hash: session.idHash,
      user_id: session.userId,
      state: session.state,
      is_kept: session.isKept ? 1 : 0,
      created_at: session.createdAt,
      active_at: session.activeAt,
      expires_at: session.expiresAt,
      remote_ip: session.address,
      user_agent: session.agent,
    })
    .execute();
}

export async function findSession(db: Query, idHash: Buffer, now: number): Promise<Session | undefined> {
  const row = await db
    .selectFrom('sessions')
    .selectAll()
    .where('id_hash', '=', idHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row === undefined ? undefined : sessionOf(row);
}

/** Where a person is signed in, last used first. */
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
  return rows.map(sessionOf);
}

function sessionOf(row: SessionsTable): Session {
  return {
    idHash: row.id_hash,
    userId: row.user_id,
    state: row.state,
    isKept: row.is_kept === 1,
    createdAt: row.created_at,
    activeAt: row.active_at,
    expiresAt: row.expires_at,
    address: row.remote_ip,
    agent: row.user_agent,
  };
}

export async function touchSession(tx: Tx, idHash: Buffer, now: number): Promise<void> {
  await tx.updateTable('sessions').set({ active_at: now }).where('id_hash', '=', idHash).execute();
}

/** False when it had ended. */
export async function deleteSession(tx: Tx, idHash: Buffer): Promise<boolean> {
  const deleted = await tx.deleteFrom('sessions').where('id_hash', '=', idHash).executeTakeFirst();
  return Number(deleted.numDeletedRows) === 1;
}

/** Signs a person out everywhere: after a new password, a new role, or a switched-off account. */
export async function deleteSessionsOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('sessions').where('user_id', '=', userId).execute();
}

/** Signs a person out everywhere but where they are; returns how many sessions ended. */
export async function deleteOtherSessions(tx: Tx, userId: string, keptHash: Buffer | null): Promise<number> {
  let query = tx.deleteFrom('sessions').where('user_id', '=', userId);
  if (keptHash !== null) query = query.where('id_hash', '<>', keptHash);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

export async function deleteOldSessions(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('sessions').where('expires_at', '<', now).execute();
}
