// Tickets for files of a message. The caller has checked access.
import { downloadableFiles, viewerOf } from '../../domain/archives.ts';
import { available } from '../../domain/availability.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { MessageFile } from '../../domain/messages.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import type { Ctx } from '../context.ts';
import {
  browserFieldsOf,
  findInterrupted,
  type Interrupted,
  type RequestingBrowser,
  requestTicket,
} from '../downloads/ticket-requests.ts';
import { issueTicket, type NewTicket } from '../downloads/tickets.ts';
import type { MessageAccess } from './access.ts';

/** With `archiveOf` for several files as one archive. */
export async function issueMessageTicket(
  ctx: Ctx,
  caller: UserCaller,
  access: MessageAccess,
  { file, archiveOf }: { file: MessageFile; archiveOf?: string[] },
): Promise<string> {
  const holder = { browserHash: caller.sessionHash, network: networkOf(caller.from.address) };
  return (await issueTicket(ctx, { ...ticketFor(access, file, archiveOf), ...holder })).id;
}

function ticketFor({ message, admission, holder, isOwner }: MessageAccess, file: MessageFile, archiveOf?: string[]) {
  return {
    attachmentId: file.attachmentId,
    ownerId: message.ownerId,
    linkId: null,
    messageId: message.id,
    recipient: holder.address,
    accountId: holder.accountId,
    identity: admission.verdict === 'allow' ? admission.identity : '',
    kind: isOwner ? 'owner' : 'visitor',
    expiresAt: message.expiresAt,
    ...(archiveOf === undefined ? {} : { archiveOf }),
  } satisfies NewTicket;
}

/** `visitor` is the browser's token. */
export function findInterruptedOf(
  ctx: Ctx,
  { message, holder, isOwner }: MessageAccess,
  visitor: string | undefined,
): Promise<Interrupted> {
  const sizes = new Map(message.files.map(({ attachmentId, sizeBytes }) => [attachmentId, sizeBytes]));
  const who = { messageId: message.id, recipient: holder.address, kind: isOwner ? 'owner' : 'visitor' } as const;
  return findInterrupted(ctx, { ...who, visitor }, sizes);
}

/** Null if the file is missing or this visitor's limit is used up. */
export async function issueFileTicket(
  ctx: Ctx,
  access: MessageAccess,
  attachmentId: string,
  browser: RequestingBrowser,
): Promise<{ ticket: string; file: MessageFile } | null> {
  const file = access.message.files.find((candidate) => candidate.attachmentId === attachmentId);
  if (file === undefined) return null;
  const answer = available(file, viewerOf(file, access));
  if (answer !== 'yes' && answer !== 'limit_reached') return null;
  const isResuming =
    answer === 'limit_reached' && (await findInterruptedOf(ctx, access, browser.token)).files.has(attachmentId);
  if (available(file, viewerOf(file, access, isResuming)) !== 'yes') return null;
  const ticketInput = { ...ticketFor(access, file), ...browserFieldsOf(ctx, browser) };
  const ticket = await requestTicket(ctx, ticketInput, file.sizeBytes);
  return { ticket, file };
}

/** Null if nothing is left for this visitor. */
export async function issueArchiveTicket(
  ctx: Ctx,
  access: MessageAccess,
  browser: RequestingBrowser,
): Promise<string | null> {
  const files = archiveFiles(access, await findInterruptedOf(ctx, access, browser.token));
  const [first] = files;
  if (first === undefined) return null;
  const archiveOf = files.map(({ attachmentId }) => attachmentId);
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  return requestTicket(ctx, { ...ticketFor(access, first, archiveOf), ...browserFieldsOf(ctx, browser) }, sizeBytes);
}

export function archiveFiles(access: MessageAccess, interrupted: Interrupted): MessageFile[] {
  const left = downloadableFiles(access.message, access);
  if (left.length > 1 || interrupted.archive === null) return left;
  const ids = new Set(interrupted.archive);
  return access.message.files.filter(
    (file) => ids.has(file.attachmentId) && available(file, viewerOf(file, access, true)) === 'yes',
  );
}
