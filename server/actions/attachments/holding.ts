// The only place that binds files to messages, links and submissions, and releases them. A bound file is not erased.
import {
  findAttachment,
  holdAttachmentAgain,
  holdAttachments,
  releaseAttachment,
} from '../../db/attachments/attachments.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { hasExtensionRule, refuseExtension, refuseUnfinished, type StoredFile } from '../../domain/attachments.ts';
import type { Caller, Uploader, UserCaller } from '../../domain/caller.ts';
import { invalid, type Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { assertPermittedContents } from '../scanning/contents.ts';
import { eraseFile } from './attachments.ts';

/** Input field of the file id, and the verb for refusals. */
const holders = {
  message: { field: 'attachments', done: 'sent' },
  link: { field: 'attachment', done: 'shared' },
} as const;

/** Throws why the first of them cannot be bound. */
export async function holdOwnFiles(
  tx: Tx,
  caller: UserCaller,
  ids: readonly string[],
  holder: keyof typeof holders,
): Promise<StoredFile[]> {
  const held = await holdInOrder(tx, ids, { ownerId: caller.userId, source: '' });
  for (const [at, file] of held.entries()) {
    if (file !== null) assertPermittedExtension(caller, file);
    else {
      await getOwnReadyFile(tx, caller, ids[at]!, holder); // throws the reason
      throw damaged(holder);
    }
  }
  const files = held.filter((file) => file !== null);
  await assertPermittedContents(tx, caller, files);
  return files;
}

export async function holdOwnFile(
  tx: Tx,
  caller: UserCaller,
  id: string,
  holder: keyof typeof holders,
): Promise<StoredFile> {
  const [file] = await holdOwnFiles(tx, caller, [id], holder);
  return file!;
}

async function holdInOrder(
  tx: Tx,
  ids: readonly string[],
  from: Pick<Uploader, 'ownerId' | 'source'>,
): Promise<(StoredFile | null)[]> {
  const held = new Map((await holdAttachments(tx, ids, from)).map((file) => [file.id, file]));
  return ids.map((id) => held.get(id) ?? null);
}

/** Unknown and foreign ids get the same refusal. */
export async function getOwnReadyFile(
  db: Query,
  caller: UserCaller,
  id: string,
  holder: keyof typeof holders,
): Promise<StoredFile> {
  const { field } = holders[holder];
  const file = await findAttachment(db, id);
  if (file === null || file.ownerId !== caller.userId || file.source !== '' || file.state === 'erased') {
    throw invalid(
      `${holder}.attachment_unknown`,
      'There is no such uploaded file. Upload it first, then use its id.',
      field,
    );
  }
  const unfinished = refuseUnfinished(file.state, field);
  if (unfinished !== null) throw unfinished;
  assertPermittedExtension(caller, file);
  if (file.state !== 'ready') throw damaged(holder);
  return file;
}

function assertPermittedExtension({ policy }: UserCaller, file: StoredFile): void {
  const refusal = hasExtensionRule(policy) ? refuseExtension(policy, file.fileName) : null;
  if (refusal !== null) throw refusal;
}

function damaged(holder: keyof typeof holders): Problem {
  const { field, done } = holders[holder];
  return invalid(`${holder}.attachment_damaged`, `This file is damaged and cannot be ${done}. Upload it again.`, field);
}

/** Only the source that uploaded files may submit them. */
export async function holdSubmittedFiles(
  tx: Tx,
  from: Pick<Uploader, 'ownerId' | 'source'>,
  ids: readonly string[],
): Promise<StoredFile[]> {
  const held = await holdInOrder(tx, ids, from);
  const missing = held.indexOf(null);
  if (missing !== -1) throw await submissionRefusal(tx, from, ids[missing]!);
  return held.filter((file) => file !== null);
}

async function submissionRefusal(tx: Tx, from: Pick<Uploader, 'source'>, id: string): Promise<Problem> {
  const file = await findAttachment(tx, id);
  return (
    (file?.source === from.source ? refuseUnfinished(file.state, 'attachments') : null) ??
    invalid('submission.unknown_file', 'One of the files was not received completely. Send it again.', 'attachments')
  );
}

/**
 * For an expired message or link that becomes active again; false if the file is gone. Ignores the owner, because the
 * message may have been handed over.
 */
export function holdAgain(tx: Tx, id: string): Promise<boolean> {
  return holdAttachmentAgain(tx, id);
}

export interface FileRelease {
  id: string;
  /** False if the holder had expired and released the file before. */
  wasHeld: boolean;
  /** Erases an unused file immediately instead of after the grace period. */
  erases: boolean;
}

export async function releaseFile(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { id, wasHeld, erases }: FileRelease,
): Promise<void> {
  if (wasHeld) await releaseAttachment(tx, id, ctx.clock.uptime() + ctx.settings.surroundings.deleteGraceMs);
  if (erases) await eraseFile(ctx, tx, caller, id);
}
