// Receipts for people who submitted files; a repeated delivery finds the first one.
import { findDropKey } from '../../db/filedrops/filedrops.ts';
import { listMessageFiles } from '../../db/messages/message-files.ts';
import {
  findReceiptOfSubmission,
  findUploaderReceipt,
  insertUploaderReceipt,
} from '../../db/receipts/uploader-receipts.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import type { HeldFile } from '../../domain/messages.ts';
import { receiptDays, type UploaderReceipt } from '../../domain/submissions.ts';
import { isId } from '../../lib/ids.ts';
import type { Ctx } from '../context.ts';
import { queueMail } from '../outbox.ts';
import { type FileCheck, findFileChecks } from '../scanning/file-checks.ts';

const dayMs = 86_400_000;

export async function storeReceipt(
  ctx: Ctx,
  tx: Tx,
  receipt: UploaderReceipt,
  from: { ownerId: string; source: string; attachmentIds: string[] },
): Promise<void> {
  await insertUploaderReceipt(tx, {
    receipt,
    ownerId: from.ownerId,
    submissionHash: submissionHash(ctx, from.source, from.attachmentIds),
    expiresAt: receipt.deliveredAt + receiptDays * dayMs,
  });
}

/** Null when it has expired. */
export async function findReceipt(ctx: Ctx, id: string): Promise<UploaderReceipt | null> {
  return isId(id) ? findUploaderReceipt(ctx.db.read, id, ctx.clock.now()) : null;
}

/** Of each file of the receipt; undefined once the receiver can download it, and without the message. */
export async function findReceiptChecks(ctx: Ctx, receipt: UploaderReceipt): Promise<(FileCheck | undefined)[]> {
  const { read } = ctx.db;
  const stored = await listMessageFiles(read, receipt.reference);
  const checks = await findFileChecks(read, stored);
  return receipt.files.map(({ name, sizeBytes, sha256 }) => {
    const isIt = (file: HeldFile) => file.fileName === name && file.sizeBytes === sizeBytes && file.sha256 === sha256;
    return checks.get(stored.find(isIt)?.attachmentId ?? '');
  });
}

export async function findEarlierReceipt(
  ctx: Ctx,
  db: Query,
  source: string,
  attachmentIds: string[],
): Promise<UploaderReceipt | null> {
  return attachmentIds.length === 0 ? null : findReceiptOfSubmission(db, submissionHash(ctx, source, attachmentIds));
}

export function findAnswerReceipt(
  ctx: Ctx,
  requestId: string,
  attachmentIds: string[],
): Promise<UploaderReceipt | null> {
  return findEarlierReceipt(ctx, ctx.db.read, `request:${requestId}`, attachmentIds);
}

/** The key has been used by that delivery. */
export async function findDropReceipt(ctx: Ctx, key: string, attachmentIds: string[]): Promise<UploaderReceipt | null> {
  const used = await findDropKey(ctx.db.read, ctx.keys.hash('drop-key', key));
  return used === null ? null : findEarlierReceipt(ctx, ctx.db.read, `drop:${used.id}`, attachmentIds);
}

export async function queueUploaderReceipt(
  ctx: Ctx,
  tx: Tx,
  receipt: UploaderReceipt,
  about: { ownerId: string; sender: string; isStored: boolean },
): Promise<void> {
  const { receiver, reference } = receipt;
  await queueMail(ctx, tx, {
    kind: 'uploader-receipt',
    to: about.sender,
    ownerId: about.ownerId,
    ...(about.isStored ? { messageId: reference } : {}),
    payload: {
      reference,
      receiver: receiver.name === '' ? receiver.email : receiver.name,
      address: about.sender,
      files: receipt.files,
      deliveredAt: receipt.deliveredAt,
      url: `${ctx.settings.surroundings.baseUrl}/delivered/${receipt.id}`,
    },
  });
}

function submissionHash(ctx: Ctx, source: string, attachmentIds: string[]): Buffer {
  return ctx.keys.hash('submission', [source, ...[...new Set(attachmentIds)].sort()].join('\n'));
}
