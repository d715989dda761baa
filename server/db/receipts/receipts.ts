// Queries on sent and pending receipts.
import { sql } from 'kysely';
import { defaultPreferences, type Preferences } from '../../domain/preferences.ts';
import { openFileName } from '../attachments/held-files.ts';
import type { Query, Tx } from '../schema/schema.ts';

export interface NewReceipt {
  /** `link:<id>` or `message:<id>`. */
  target: string;
  linkId: string | null;
  messageId: string | null;
  attachmentId: string;
  recipient: string;
  ownerId: string;
  downloadNumber: number;
  now: number;
}

/**
 * Claims the first receipt of a target, file and person; false when it was claimed before, or when the message or link
 * sends none. One statement, because every download runs it.
 */
export async function claimReceipt(tx: Tx, receipt: NewReceipt): Promise<boolean> {
  const { messageId, linkId } = receipt;
  const { numAffectedRows } = await sql`
    insert into receipt_lines (target, attachment_id, recipient, owner_id, download_number, created_at, mailed_at)
    select cast(${receipt.target} as text), cast(${receipt.attachmentId} as text), cast(${receipt.recipient} as text),
      cast(${receipt.ownerId} as text), cast(${receipt.downloadNumber} as bigint), cast(${receipt.now} as bigint), null
    where ${
      messageId === null
        ? sql`exists (select 1 from file_links where id = ${linkId} and send_receipt = 1)`
        : sql`exists (select 1 from messages where id = ${messageId} and send_receipts = 1)`
    }
    on conflict do nothing`.execute(tx);
  return numAffectedRows === 1n;
}

/**
 * The recipient of a receipt with their preferences, and whether one of this target was sent before; null when the
 * account is deleted.
 */
export interface ReceiptReader extends Pick<Preferences, 'receipts' | 'timeZone'> {
  email: string;
  isFirst: boolean;
}

export async function findReceiptReader(db: Query, ownerId: string, target: string): Promise<ReceiptReader | null> {
  const row = await db
    .selectFrom('users')
    .leftJoin('preferences', 'preferences.user_id', 'users.id')
    .select(['users.email', 'preferences.receipts', 'preferences.time_zone'])
    .select((eb) =>
      eb
        .selectFrom('receipt_lines')
        .select(eb.fn.countAll<number>().as('mailed'))
        .where('target', '=', target)
        .where('mailed_at', 'is not', null)
        .as('mailed'),
    )
    .where('users.id', '=', ownerId)
    .where('users.state', '<>', 'deleted')
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    email: row.email,
    receipts: row.receipts ?? defaultPreferences.receipts,
    timeZone: row.time_zone ?? defaultPreferences.timeZone,
    isFirst: Number(row.mailed) === 0,
  };
}

export interface ReceiptLine {
  attachmentId: string;
  fileName: string;
  recipient: string;
  at: number;
  location: string;
  browser: string;
  os: string;
}

/** Downloads that no receipt has reported. */
export async function listUnmailedReceipts(db: Query, target: string): Promise<ReceiptLine[]> {
  const rows = await db
    .selectFrom('receipt_lines')
    .innerJoin('downloads', (join) =>
      join
        .onRef('downloads.owner_id', '=', 'receipt_lines.owner_id')
        .onRef('downloads.number', '=', 'receipt_lines.download_number'),
    )
    .innerJoin('attachments', 'attachments.id', 'receipt_lines.attachment_id')
    .select([
      'receipt_lines.attachment_id',
      'receipt_lines.recipient',
      'downloads.granted_at',
      'downloads.location',
      'downloads.browser',
      'downloads.os',
      'attachments.name_sealed',
    ])
    .where('receipt_lines.target', '=', target)
    .where('receipt_lines.mailed_at', 'is', null)
    .orderBy('receipt_lines.created_at')
    .limit(100)
    .execute();
  return rows.map((row) => ({
    attachmentId: row.attachment_id,
    fileName: openFileName(db.keys, { id: row.attachment_id, name_sealed: row.name_sealed }),
    recipient: row.recipient,
    at: row.granted_at,
    location: row.location,
    browser: row.browser,
    os: row.os,
  }));
}

export async function markReceiptsMailed(
  tx: Tx,
  target: string,
  lines: { attachmentId: string; recipient: string }[],
  now: number,
): Promise<void> {
  for (const line of lines) {
    await tx
      .updateTable('receipt_lines')
      .set({ mailed_at: now })
      .where('target', '=', target)
      .where('attachment_id', '=', line.attachmentId)
      .where('recipient', '=', line.recipient)
      .execute();
  }
}
