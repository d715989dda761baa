// Queries on file requests.
import { sql } from 'kysely';
import { domainOf } from '../../domain/audience.ts';
import type { StoredRequest } from '../../domain/file-requests.ts';
import type { FileRequestsTable, Query, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

export const requests = defineTable<FileRequestsTable>()(({ plain, flags, sealedText }) => ({
  ...plain('id', 'owner_id', 'recipient', 'expires_on', 'expires_at', 'state', 'answered_at', 'created_at'),
  ...flags('is_reusable'),
  subject: sealedText('subject_sealed', 'text', 'id', (id) => `${id}/subject`),
  body: sealedText('body_sealed', 'text', 'id', (id) => `${id}/body`),
}));

export type NewRequest = Omit<StoredRequest, 'state' | 'answeredAt'>;

export async function insertFileRequest(tx: Tx, request: NewRequest): Promise<StoredRequest> {
  const added: StoredRequest = { ...request, state: 'open', answeredAt: null };
  const row = requests.write(added, tx.keys);
  await tx
    .insertInto('file_requests')
    .values({ ...row, recipient_domain: domainOf(request.recipient), updated_at: request.createdAt })
    .execute();
  return added;
}

export async function findFileRequest(db: Query, id: string): Promise<StoredRequest | null> {
  const row = await db.selectFrom('file_requests').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : requests.read(row, db.keys);
}

export interface RequestChanges {
  state?: StoredRequest['state'];
  expiry?: { on: string; at: number };
}

/** False when the request is no longer in the given state. */
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
 * Marks a request as answered. A single-use one changes for exactly one of concurrent deliveries; a reusable one stays
 * open. False when it is closed, used or expired.
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
