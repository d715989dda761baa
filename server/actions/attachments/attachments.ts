// Reads, lists and deletes finished files. Erasing destroys the data key in the transaction; a job removes the bytes.
import {
  destroyKeptKey,
  type ErasedFile,
  eraseAttachment,
  findAttachment,
  listAttachments,
} from '../../db/attachments/attachments.ts';
import { findLinksOfAttachments, type LinkUse } from '../../db/file-links/file-links.ts';
import { findMessagesOfAttachments, type MessageUse } from '../../db/messages/message-files.ts';
import { deleteScan, type FileScan, findScans } from '../../db/scanning/file-scans.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { addStoredBytes } from '../../db/storage/stored-bytes.ts';
import { releaseParts } from '../../db/uploads/parts.ts';
import { setUploadState } from '../../db/uploads/uploads.ts';
import { type Attachment, type StoredFile, unboundLifetimeMs } from '../../domain/attachments.ts';
import { anyViewer, available } from '../../domain/availability.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { keyCommitment } from '../../domain/deletions.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { hasScanner } from '../../domain/scanner-settings.ts';
import { blockedMessage, withoutScanner } from '../../domain/scanning.ts';
import { dateOf } from '../../lib/dates.ts';
import type { WrappedKey } from '../../lib/keyring.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

const pageSize = 200;

export async function* listOwnAttachments(ctx: Ctx, caller: UserCaller): AsyncGenerator<Attachment[]> {
  let after = { createdAt: 0, id: '' };
  for (;;) {
    const files = await listAttachments(ctx.db.read, caller.userId, after, pageSize);
    const last = files.at(-1);
    if (last === undefined) return;
    const described = await describeAttachments(ctx, files);
    yield described.filter((file) => file.isAvailable || !file.isProcessed || file.mustBeChecked);
    after = { createdAt: last.createdAt, id: last.id };
  }
}

/** For callers that have already been authorized. */
export async function getAttachment(ctx: Ctx, id: string): Promise<Attachment> {
  const file = await findAttachment(ctx.db.read, id);
  if (file === null) throw notFound('attachment');
  return (await describeAttachments(ctx, [file]))[0]!;
}

/** Leaves out missing files and those of another source. */
export async function getAttachments(ctx: Ctx, ids: string[], source: string): Promise<Attachment[]> {
  const files = await Promise.all(ids.map((id) => findAttachment(ctx.db.read, id)));
  const present = files.filter((file) => file !== null && file.state !== 'erased' && file.source === source);
  return describeAttachments(ctx, present as StoredFile[]);
}

/** Deletes an uploaded file that is not in use. */
export async function deleteOwnAttachment(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    const file = await findAttachment(tx, id);
    if (file === null || file.ownerId !== caller.userId) throw notFound('attachment');
    if (await eraseFile(ctx, tx, caller, id)) return;
    if ((await findAttachment(tx, id))?.state === 'erased') throw notFound('attachment');
    throw invalid(
      'attachment.in_use',
      'This file has been sent. Stop sharing it where it is used, then it is deleted.',
    );
  });
}

/** A legal hold retains key and bytes, invisibly to the owner. False if the file is erased or in use. */
export function eraseFile(ctx: Ctx, tx: Tx, caller: Caller, id: string): Promise<boolean> {
  return erase(ctx, tx, caller, { id, evenIfHeld: false });
}

/** Also erases a file in use. */
export function eraseHeldFile(ctx: Ctx, tx: Tx, caller: Caller, id: string): Promise<boolean> {
  return erase(ctx, tx, caller, { id, evenIfHeld: true });
}

async function erase(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { id, evenIfHeld }: { id: string; evenIfHeld: boolean },
): Promise<boolean> {
  const erased = await eraseAttachment(tx, id, evenIfHeld);
  if (erased === null) return false;
  // An upload whose checksum is being computed holds the key too; a finished one must no longer answer.
  await setUploadState(tx, id, ['sealing', 'ready', 'failed'], 'abandoned');
  await deleteScan(tx, id);
  await addStoredBytes(tx, erased, -erased.sizeBytes);
  await finishErasing(ctx, tx, caller, { id, erased });
  return true;
}

async function finishErasing(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { id, erased }: { id: string; erased: ErasedFile },
): Promise<void> {
  if (!erased.isKept) await releaseParts(tx, id, ctx.clock.now());
  const about = { object: { kind: 'attachment', id }, ownerId: erased.ownerId } as const;
  if (erased.isKept) await record(ctx, tx, caller, { action: 'attachment.kept_on_hold', ...about });
  else {
    const facts = { key: commitmentTo(ctx, id, erased.destroyedKey) };
    await record(ctx, tx, caller, { action: 'attachment.erased', ...about, facts });
  }
}

/** Erasing must not fail because a key cannot be unwrapped any more. */
function commitmentTo(ctx: Ctx, id: string, key: WrappedKey | null): string {
  try {
    return key === null ? '' : keyCommitment(id, ctx.keys.files.unwrap(key, id));
  } catch {
    return '';
  }
}

/** For a file erased under a legal hold. False if a hold remains. */
export async function eraseRetainedFile(ctx: Ctx, tx: Tx, caller: Caller, id: string): Promise<boolean> {
  const erased = await destroyKeptKey(tx, id);
  if (erased !== null) await finishErasing(ctx, tx, caller, { id, erased });
  return erased !== null;
}

async function describeAttachments(ctx: Ctx, files: StoredFile[]): Promise<Attachment[]> {
  const held = files.filter((file) => file.isHeld).map((file) => file.id);
  const links = await findLinksOfAttachments(ctx.db.read, held);
  const messages = await findMessagesOfAttachments(ctx.db.read, held);
  const scans = await findScans(
    ctx.db.read,
    files.map((file) => file.id),
  );
  return files.map((file) => ({
    ...describe(ctx, file, links.get(file.id) ?? [], messages.get(file.id) ?? []),
    ...describeScan(file, scans.get(file.id), hasScanner(ctx.settings)),
  }));
}

type ScanFields = 'mustBeChecked' | 'isScanRequired' | 'isScanned' | 'scannedAt' | 'isBlocked' | 'blockedMessage';

function describeScan(
  { scanState }: StoredFile,
  scan: FileScan | undefined,
  isScanning: boolean,
): Pick<Attachment, ScanFields> {
  const verdict = scan?.verdict ?? '';
  const isBlocked = scanState === 'held';
  const isOfScanner = verdict === 'infected' || verdict === 'unscannable';
  const isScanned = isOfScanner || (verdict !== '' && scan?.version !== withoutScanner);
  return {
    mustBeChecked: scan !== undefined,
    isScanRequired: isScanned || (isScanning && scan !== undefined && verdict === ''),
    isScanned,
    scannedAt: isScanned ? (scan?.scannedAt ?? null) : null,
    isBlocked,
    blockedMessage: isBlocked && scan !== undefined && verdict !== '' ? blockedMessage({ ...scan, verdict }) : null,
  };
}

function describe(ctx: Ctx, file: StoredFile, links: LinkUse[], messages: MessageUse[]): Omit<Attachment, ScanFields> {
  const latest = [...links, ...messages].reduce((date, use) => (use.expiresOn > date ? use.expiresOn : date), '');
  const unbound = dateOf(file.createdAt + unboundLifetimeMs, ctx.settings.surroundings.timeZone);
  return {
    id: file.id,
    ownerId: file.ownerId,
    fileName: file.fileName,
    sizeBytes: file.sizeBytes,
    contentType: file.contentType,
    sha256: file.sha256,
    crc32: file.crc32,
    isProcessed: file.state !== 'sealing',
    processedAt: file.processedAt,
    isAvailable: available({ ...file, share: 'active' }, anyViewer) === 'yes',
    expiresOn: latest === '' ? unbound : latest,
    createdAt: file.createdAt,
    messageIds: messages.map((message) => message.id),
    linkIds: links.map((link) => link.id),
  };
}
