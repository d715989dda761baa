// Who holds a file: the one place where files are bound to messages, links and deliveries, and let go of again. A file
// that something holds is never erased (state machine SM2).
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
import { eraseFile } from './attachments.ts';

/** What may hold a file of one's own, the field its id came in, and what is done with the file. */
const holders = {
  message: { field: 'attachments', done: 'sent' },
  link: { field: 'attachment', done: 'shared' },
} as const;

/** Takes hold of some of the caller's files, each named once, or says of the first that it cannot take why not. */
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
      await getOwnReadyFile(tx, caller, ids[at]!, holder); // says why
      throw damaged(holder);
    }
  }
  return held.filter((file) => file !== null);
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

/** A file the caller could share now, or the reason why not. Unknown and foreign ids are the same to the caller. */
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

/** Takes hold of files that somebody outside handed in; only their own source may deliver them. */
export async function holdHandedIn(
  tx: Tx,
  from: Pick<Uploader, 'ownerId' | 'source'>,
  ids: readonly string[],
): Promise<StoredFile[]> {
  const held = await holdInOrder(tx, ids, from);
  const missing = held.indexOf(null);
  if (missing !== -1) throw await notHandedIn(tx, from, ids[missing]!);
  return held.filter((file) => file !== null);
}

async function notHandedIn(tx: Tx, from: Pick<Uploader, 'source'>, id: string): Promise<Problem> {
  const file = await findAttachment(tx, id);
  return (
    (file?.source === from.source ? refuseUnfinished(file.state, 'attachments') : null) ??
    invalid('submission.unknown_file', 'One of the files was not received completely. Send it again.', 'attachments')
  );
}

/**
 * For a message or link that had expired and lives again; false when the file is gone. Who owns the file does not matter:
 * it may be shared with a message that was handed over to somebody else.
 */
export function holdAgain(tx: Tx, id: string): Promise<boolean> {
  return holdAttachmentAgain(tx, id);
}

export interface HoldEnd {
  id: string;
  /** False for a holder that had expired and let go of the file before. */
  wasHeld: boolean;
  /** Erases the file at once if nothing else holds it; otherwise it is kept for the grace time. */
  erases: boolean;
}

/** The end of a message or link. */
export async function letGo(ctx: Ctx, tx: Tx, caller: Caller, { id, wasHeld, erases }: HoldEnd): Promise<void> {
  if (wasHeld) await releaseAttachment(tx, id, ctx.clock.uptime() + ctx.settings.surroundings.deleteGraceMs);
  // One that something else holds stays.
  if (erases) await eraseFile(ctx, tx, caller, id);
}
