// Queries on File Requests (state machine SM6).
import { sql } from 'kysely';
import { domainOf } from '../../domain/audience.ts';
import type { StoredRequest } from '../../domain/file-requests.ts';
import type { FileRequestsTable, Query, Sealer, Tx } from '../schema/schema.ts';

/** For every query that reads whole requests. */
export function requestOf(keys: Sealer, row: FileRequestsTable): StoredRequest {
  return {
    id: row.id,
    ownerId: row.owner_id,
    recipient: row.recipient,
    subject: keys.openText('text', row.subject_sealed, `${row.id}/subject`),
    body: keys.openText('text', row.body_sealed, `${row.id}/body`),
    isReusable: row.is_reusable === 1,
    expiresOn: row.expires_on,
    expiresAt: row.expires_at,
    state: row.state,
    answeredAt: row.answered_at,
    createdAt: row.created_at,
  };
}

export type NewRequest = Omit<StoredRequest, 'state' | 'answeredAt'>;

export async function insertFileRequest(tx: Tx, request: NewRequest): Promise<StoredRequest> {
  await tx
    .insertInto('file_requests')
    .values({
      id: request.id,
      owner_id: request.ownerId,
      recipient: request.recipient,
      recipient_domain: domainOf(request.recipient),
      subject_sealed: tx.keys.sealText('text', request.subject, `${request.id}/subject`),
      body_sealed: tx.keys.sealText('text', request.body, `${request.id}/body`),
      is_reusable: request.isReusable ? 1 : 0,
      expires_on: request.expiresOn,
      expires_at: request.expiresAt,
      state: 'open',
      answered_at: null,
      created_at: request.createdAt,
      updated_at: request.createdAt,
    })
    .execute();
  return { ...request, state: 'open', answeredAt: null };
}

export async function findFileRequest(db: Query, id: string): Promise<StoredRequest | null> {
  const row = await db.selectFrom('file_requests').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : requestOf(db.keys, row);
}

export interface RequestChanges {
  state?: StoredRequest['state'];
  expiry?: { on: string; at: number };
}

/** Changes a request that is still in the state it was seen in; false when that changed meanwhile. */
export async function updateFileRequest(
  tx: Tx,
  seen: Pick<StoredRequest, 'id' | 'state'>,
  { state, expiry }: RequestChanges,
  now: number,
): Promise<boolean> {
  const updated = await tx
    .updateTable('file_requests')
    .set({
      ...(state === undefined ? {} : { state }),
      ...(expiry === undefined ? {} : { expires_on: expiry.on, expires_at: expiry.at }),
      updated_at: now,
    })
    .where('id', '=', seen.id)
    .where('state', '=', seen.state)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/**
 * Marks a request as answered. A single-use one flips for exactly one of any number of racing deliveries; a reusable one
 * stays open. False when it is closed, used or past its date.
 */
export async function answerFileRequest(tx: Tx, id: string, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('file_requests')
    .set({
      state: sql<'open' | 'used'>`case when is_reusable = 1 then 'open' else 'used' end`,
      answered_at: now,
      updated_at: now,
    })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}
