// Queries on receipts of outside senders.
import type { UploaderReceipt } from '../../domain/submissions.ts';
import type { Query, Tx } from '../schema/schema.ts';

export interface KeptReceipt {
  receipt: UploaderReceipt;
  ownerId: string;
  submissionHash: Buffer;
  expiresAt: number;
}

export async function insertUploaderReceipt(tx: Tx, kept: KeptReceipt): Promise<void> {
  const { id, deliveredAt } = kept.receipt;
  await tx
    .insertInto('uploader_receipts')
    .values({
      id,
      submission_hash: kept.submissionHash,
      owner_id: kept.ownerId,
      receipt_sealed: tx.keys.sealText('text', JSON.stringify(kept.receipt), placeOf(id)),
      created_at: deliveredAt,
      expires_at: kept.expiresAt,
    })
    .execute();
}

export async function findUploaderReceipt(db: Query, id: string, now: number): Promise<UploaderReceipt | null> {
  const row = await db
    .selectFrom('uploader_receipts')
    .select(['id', 'receipt_sealed'])
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row === undefined ? null : opened(db, row);
}

/** The receipt of the same delivery. */
export async function findReceiptOfSubmission(db: Query, submissionHash: Buffer): Promise<UploaderReceipt | null> {
  const row = await db
    .selectFrom('uploader_receipts')
    .select(['id', 'receipt_sealed'])
    .where('submission_hash', '=', submissionHash)
    .executeTakeFirst();
  return row === undefined ? null : opened(db, row);
}

export async function deleteUploaderReceiptsOf(tx: Tx, ownerId: string): Promise<void> {
  await tx.deleteFrom('uploader_receipts').where('owner_id', '=', ownerId).execute();
}

export async function deleteOldUploaderReceipts(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('uploader_receipts').where('expires_at', '<=', now).execute();
}

function opened(db: Query, row: { id: string; receipt_sealed: Buffer }): UploaderReceipt {
  return JSON.parse(db.keys.openText('text', row.receipt_sealed, placeOf(row.id))) as UploaderReceipt;
}

function placeOf(id: string): string {
  return `receipt/${id}`;
}
