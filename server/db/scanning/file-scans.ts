// Queries on the queue of the virus scanner, its verdicts and the quarantine.
import { sql } from 'kysely';
import type { AttachmentState, StoredFile } from '../../domain/attachments.ts';
import { type FileResult, type ScanState, withoutScanner } from '../../domain/scanning.ts';
import type { ScanResult } from '../../lib/scanners/scanner.ts';
import { storedFileOf } from '../attachments/attachments.ts';
import type { FileScansTable, Query, Tx } from '../schema/schema.ts';
import { type CamelRow, camelRow } from '../table.ts';

export type FileScan = CamelRow<FileScansTable>;

const isWaiting = sql<boolean>`file_scans.state = 'waiting'`;

/** Puts a new file into the queue. */
export async function insertScan(
  tx: Tx,
  attachmentId: string,
  now: number,
  earlier: Pick<FileScansTable, 'verdict' | 'version'> = { verdict: '', version: '' },
): Promise<void> {
  await tx
    .insertInto('file_scans')
    .values({
      attachment_id: attachmentId,
      state: 'waiting',
      ...earlier,
      reason: '',
      signature: '',
      requested_at: now,
      next_at: now,
      attempts: 0,
      scanned_bytes: 0,
      scanned_at: null,
      quarantine_id: null,
      held_at: null,
      released_at: null,
      released_by: '',
    })
    .execute();
}

export interface DueScan {
  file: StoredFile;
  scan: FileScan;
}

/** Complete files whose turn has come: new ones before those to scan again, each oldest first. */
export async function listDueScans(db: Query, now: number, limit: number): Promise<DueScan[]> {
  const scans = await db
    .selectFrom('file_scans')
    .innerJoin('attachments', 'attachments.id', 'file_scans.attachment_id')
    .selectAll('file_scans')
    .where(isWaiting)
    .where('file_scans.next_at', '<=', now)
    .where('attachments.state', '=', 'ready')
    .orderBy(sql`case when file_scans.verdict = '' then 0 else 1 end`)
    .orderBy('file_scans.next_at')
    .orderBy('file_scans.attachment_id')
    .limit(limit)
    .execute();
  if (scans.length === 0) return [];
  const ids = scans.map((row) => row.attachment_id);
  const rows = await db.selectFrom('attachments').selectAll().where('id', 'in', ids).execute();
  const files = new Map(rows.map((row) => [row.id, storedFileOf(db.keys, row)]));
  return scans.flatMap((row) => {
    const file = files.get(row.attachment_id);
    return file === undefined ? [] : [{ file, scan: camelRow(row) }];
  });
}

export async function setScanProgress(tx: Tx, attachmentId: string, bytes: number): Promise<void> {
  await tx
    .updateTable('file_scans')
    .set({ scanned_bytes: bytes })
    .where('attachment_id', '=', attachmentId)
    .where(isWaiting)
    .execute();
}

export async function postponeScan(tx: Tx, attachmentId: string, nextAt: number): Promise<void> {
  await tx
    .updateTable('file_scans')
    .set({ next_at: nextAt, scanned_bytes: 0 })
    .where('attachment_id', '=', attachmentId)
    .where(isWaiting)
    .execute();
}

/** Makes waiting files due, after an outage. */
export async function retryScans(tx: Tx, now: number): Promise<void> {
  await tx.updateTable('file_scans').set({ next_at: now }).where(isWaiting).where('next_at', '>', now).execute();
}

export interface FinishedScan extends FileResult {
  attachmentId: string;
  version: string;
  now: number;
  /** Its id in the quarantine; null if it is not held. */
  quarantineId: string | null;
}

/** False if it does not wait any more. */
export async function finishScan(tx: Tx, scan: FinishedScan): Promise<boolean> {
  const updated = await tx
    .updateTable('file_scans')
    .set({
      state: 'done',
      verdict: scan.verdict,
      reason: scan.reason,
      signature: scan.signature,
      version: scan.version,
      scanned_bytes: 0,
      scanned_at: scan.now,
      quarantine_id: scan.quarantineId,
      held_at: scan.quarantineId === null ? null : scan.now,
    })
    .where('attachment_id', '=', scan.attachmentId)
    .where(isWaiting)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function setScanState(tx: Tx, attachmentId: string, state: ScanState): Promise<void> {
  await tx.updateTable('attachments').set({ scan_state: state }).where('id', '=', attachmentId).execute();
}

/** Also of files that a group released while the scanner was silent. */
export async function countWaitingScans(db: Query): Promise<number> {
  const row = await db
    .selectFrom('file_scans')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(isWaiting)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Not one from before the file was put into the queue again. */
export async function findVerdict(
  db: Query,
  contentHash: Buffer,
  { version, since }: { version: string; since: number },
): Promise<ScanResult | null> {
  const row = await db
    .selectFrom('scan_verdicts')
    .select(['verdict', 'reason', 'signature'])
    .where('content_hash', '=', contentHash)
    .where('version', '=', version)
    .where('scanned_at', '>=', since)
    .executeTakeFirst();
  return row ?? null;
}

export async function saveVerdict(
  tx: Tx,
  { contentHash, version, now, result }: { contentHash: Buffer; version: string; now: number; result: ScanResult },
): Promise<void> {
  await tx
    .insertInto('scan_verdicts')
    .values({ content_hash: contentHash, version, ...result, scanned_at: now })
    .onConflict((conflict) => conflict.columns(['content_hash', 'version']).doUpdateSet({ ...result, scanned_at: now }))
    .execute();
}

/** When the scanner last gave a verdict. */
export async function findNewestVerdict(db: Query): Promise<number | null> {
  const row = await db
    .selectFrom('scan_verdicts')
    .select((eb) => eb.fn.max('scanned_at').as('at'))
    .executeTakeFirstOrThrow();
  return row.at === null ? null : Number(row.at);
}

export async function deleteOldVerdicts(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('scan_verdicts').where('scanned_at', '<', before).execute();
}

/** Files that can still be downloaded and were scanned with other signatures, or checked before an instant. */
export async function listOutdatedScans(
  db: Query,
  { version, before, limit }: { version: string; before: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('file_scans')
    .innerJoin('attachments', 'attachments.id', 'file_scans.attachment_id')
    .select('file_scans.attachment_id')
    .where('file_scans.state', '=', 'done')
    .where('attachments.state', '=', 'ready')
    .where((eb) =>
      eb.or([eb('file_scans.version', 'not in', [version, withoutScanner]), eb('file_scans.scanned_at', '<', before)]),
    )
    .where('file_scans.released_at', 'is', null)
    .limit(limit)
    .execute();
  return rows.map((row) => row.attachment_id);
}

/** Stored files that were never in the queue, in the order of their ids. */
export async function listNeverQueued(
  db: Query,
  { after, limit }: { after: string; limit: number },
): Promise<{ id: string; ownerId: string }[]> {
  return db
    .selectFrom('attachments')
    .leftJoin('file_scans', 'file_scans.attachment_id', 'attachments.id')
    .select(['attachments.id', 'attachments.owner_id as ownerId'])
    .where('attachments.state', '=', 'ready')
    .where('attachments.id', '>', after)
    .where('file_scans.attachment_id', 'is', null)
    .orderBy('attachments.id')
    .limit(limit)
    .execute();
}

/** Puts files from before the scanner into the queue, behind new ones. They stay free until their verdict. */
export async function insertLaterScans(tx: Tx, attachmentIds: readonly string[], now: number): Promise<void> {
  for (const id of attachmentIds) await insertScan(tx, id, now, { verdict: 'clean', version: withoutScanner });
}

/** Puts files into the queue again. Their earlier verdict stays in force meanwhile. */
export async function requestRescans(tx: Tx, attachmentIds: readonly string[], now: number): Promise<void> {
  if (attachmentIds.length === 0) return;
  await tx
    .updateTable('file_scans')
    .set({ state: 'waiting', requested_at: now, next_at: now, attempts: 0, scanned_bytes: 0 })
    .where('attachment_id', 'in', attachmentIds)
    .where('state', '=', 'done')
    .execute();
}

/** With its file. */
export async function deleteScan(tx: Tx, attachmentId: string): Promise<void> {
  await tx.deleteFrom('file_scans').where('attachment_id', '=', attachmentId).execute();
}

/** Now or later. */
const canBeScanned: AttachmentState[] = ['sealing', 'ready'];

/**
 * Which of these messages, unless they have ended, must not be announced yet: a second person has to release them, a
 * file waits for the scanner, or all files are held.
 */
export async function listUnscannedMessages(
  db: Query,
  messageIds: readonly string[],
  now: number,
): Promise<Set<string>> {
  if (messageIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('message_attachments')
    .innerJoin('attachments', 'attachments.id', 'message_attachments.attachment_id')
    .select(['message_attachments.message_id', 'attachments.scan_state', 'attachments.state'])
    .where('message_attachments.message_id', 'in', messageIds)
    .execute();
  const states = Map.groupBy(rows, (row) => row.message_id);
  const isUnscanned = (files: typeof rows) =>
    files.some((file) => file.scan_state === 'waiting' && canBeScanned.includes(file.state)) ||
    (files.length > 0 && files.every((file) => file.scan_state === 'held'));
  const open = await db
    .selectFrom('messages')
    .select(['id', 'review_state'])
    .where('id', 'in', messageIds)
    .where('state', '=', 'active')
    .where('expires_at', '>', now)
    .execute();
  const isWaitedFor = ({ id, review_state }: (typeof open)[number]) =>
    review_state === 'waiting' || isUnscanned(states.get(id) ?? []);
  return new Set(open.filter(isWaitedFor).map(({ id }) => id));
}

/** Mails that wait for the release of this message become due. */
export async function sendMailsOfMessage(tx: Tx, messageId: string, now: number): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ next_at: now })
    .where('state', '=', 'pending')
    .where('attempts', '=', 0)
    .where('next_at', '>', now)
    .where('message_id', '=', messageId)
    .execute();
}

/** Mails that wait for this file become due. */
export async function sendWaitingMails(tx: Tx, attachmentId: string, now: number): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ next_at: now })
    .where('state', '=', 'pending')
    .where('attempts', '=', 0)
    .where('next_at', '>', now)
    .where('message_id', 'in', (eb) =>
      eb.selectFrom('message_attachments').select('message_id').where('attachment_id', '=', attachmentId),
    )
    .execute();
}

/** New files that have waited since before an instant for a silent scanner. */
export async function listLongWaiting(
  db: Query,
  before: number,
  limit: number,
): Promise<{ attachmentId: string; ownerId: string }[]> {
  return db
    .selectFrom('file_scans')
    .innerJoin('attachments', 'attachments.id', 'file_scans.attachment_id')
    .select(['file_scans.attachment_id as attachmentId', 'attachments.owner_id as ownerId'])
    .where(isWaiting)
    .where('file_scans.verdict', '=', '')
    .where('file_scans.requested_at', '<=', before)
    .where('attachments.scan_state', '=', 'waiting')
    .orderBy('file_scans.requested_at')
    .limit(limit)
    .execute();
}

/** Returns how often the file got no verdict. */
export async function countAttempt(tx: Tx, attachmentId: string): Promise<number> {
  const row = await tx
    .updateTable('file_scans')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('attachment_id', '=', attachmentId)
    .where(isWaiting)
    .returning('attempts')
    .executeTakeFirst();
  return row?.attempts ?? 0;
}

export async function findScans(db: Query, attachmentIds: readonly string[]): Promise<Map<string, FileScan>> {
  if (attachmentIds.length === 0) return new Map();
  const rows = await db.selectFrom('file_scans').selectAll().where('attachment_id', 'in', attachmentIds).execute();
  return new Map(rows.map((row) => [row.attachment_id, camelRow(row)]));
}
