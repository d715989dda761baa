// Certificates of deletion: the log has the event that recorded the destruction of the key, and no row contradicts it.
import { findAttachment } from '../../db/attachments/attachments.ts';
import type { RecordedEvent } from '../../db/events/events.ts';
import { findDownloadAfter, listEventsAbout } from '../../db/receipts/receipt-facts.ts';
import { listParts } from '../../db/uploads/parts.ts';
import { findUpload } from '../../db/uploads/uploads.ts';
import type { StoredFile } from '../../domain/attachments.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { maxListedEvents } from '../../domain/receipts.ts';
import type { TransferHead } from '../../domain/transfers.ts';
import { isId } from '../../lib/ids.ts';
import { recordView } from '../audit/views.ts';
import type { Ctx } from '../context.ts';
import { describe, isIn, maySee, viewOf } from './receipts.ts';
import { type SignedReceipt, signReceipt } from './signing.ts';

/** Certifies that the log has recorded the destruction of a file's key. */
export async function getDeletion(ctx: Ctx, caller: UserCaller, id: string): Promise<SignedReceipt> {
  const file = isId(id) ? await findAttachment(ctx.db.read, id) : null;
  if (file === null || !(await maySee(ctx, caller, file.ownerId))) throw notFound('attachment');
  // A file under legal hold gets the same refusal: its destruction cannot be certified yet.
  if (file.state !== 'erased' || (await isKeyPresent(ctx, file)))
    throw notFound('deletion', 'There is no certificate of deletion for this file.');
  const found = await listEventsAbout(ctx.db.read, 'attachment', [id], maxListedEvents);
  await requireAgreement(ctx, file, found);
  const about = { object: { kind: 'attachment', id }, ownerId: file.ownerId } as const;
  await recordView(ctx, caller, { action: 'receipt.viewed', ...about });
  const view = viewOf(caller, file.ownerId);
  const events = found.filter(({ action }) => isIn(view, action));
  const transfer: TransferHead = {
    id,
    kind: 'message',
    state: 'stopped',
    ownerId: file.ownerId,
    sender: null,
    sizeBytes: file.sizeBytes,
    expiresOn: '',
    createdAt: file.createdAt,
  };
  const contents = { from: '', to: [], files: [file], downloads: [], answers: [] };
  return signReceipt(ctx, await describe(ctx, view, { kind: 'deletion', transfer, contents, events }), events);
}

/** An unfinished upload of the same id holds the key too. */
async function isKeyPresent(ctx: Ctx, { id, dataKey }: StoredFile): Promise<boolean> {
  return dataKey !== null || ((await findUpload(ctx.db.read, id))?.dataKey ?? null) !== null;
}

/** Whoever can change rows can mark a file as erased; then the event is missing or something contradicts it. */
async function requireAgreement(ctx: Ctx, file: StoredFile, events: readonly RecordedEvent[]): Promise<void> {
  const what = await findContradiction(ctx, file, events);
  if (what === null) return;
  throw new Problem(
    'conflict',
    'deletion.contradiction',
    `What was recorded about this file does not agree (${what}), so there is no certificate of deletion.`,
  ).withValues({ what });
}

async function findContradiction(ctx: Ctx, file: StoredFile, events: readonly RecordedEvent[]): Promise<string | null> {
  const erased = events.findLast(({ action }) => action === 'attachment.erased');
  if (erased === undefined) return 'attachment.erased';
  if (typeof erased.facts.key !== 'string' || erased.facts.key === '') return 'key';
  // Blank once its owner was erased.
  if (erased.ownerId !== '' && erased.ownerId !== file.ownerId) return 'owner';
  const later = events.find(({ seq, action }) => seq > erased.seq && fileLives.has(action));
  if (later !== undefined) return later.action;
  if ((await listParts(ctx.db.read, file.id)).length > 0) return 'parts';
  const download = await findDownloadAfter(ctx.db.read, file, erased.at);
  return download === null ? null : `download ${download}`;
}

/** Kinds of events that only a file with its key can have. */
const fileLives: ReadonlySet<string> = new Set([
  'attachment.uploaded',
  'attachment.processed',
  'attachment.kept_on_hold',
  'attachment.mended',
]);
