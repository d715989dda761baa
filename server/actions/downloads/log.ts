// Reading the download log: a person's whole one, that of a link, that of a message.
import { findLastDownloads, readDownloadPages } from '../../db/downloads.ts';
import { findMessage } from '../../db/messages.ts';
import { findVisitorDownloads } from '../../db/tickets.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Download } from '../../domain/downloads.ts';
import type { Message } from '../../domain/messages.ts';
import { notFound } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { getOwnFileLink } from '../file-links/file-links.ts';
import { visitorHash } from './tickets.ts';

/** The caller's whole log, oldest first; `after` leaves out what came before that instant. */
export function readDownloads(ctx: Ctx, caller: UserCaller, after: number | null): AsyncGenerator<Download[]> {
  return readDownloadPages(ctx.db.read, { ownerId: caller.userId, ...(after === null ? {} : { grantedAfter: after }) });
}

/** The log of one of the caller's links. */
export async function readLinkDownloads(
  ctx: Ctx,
  caller: UserCaller,
  linkId: string,
): Promise<AsyncGenerator<Download[]>> {
  const link = await getOwnFileLink(ctx, caller, linkId);
  return readDownloadPages(ctx.db.read, { ownerId: caller.userId, linkId: link.id });
}

/** The log of one of the caller's messages. */
export async function readMessageDownloads(
  ctx: Ctx,
  caller: UserCaller,
  messageId: string,
): Promise<AsyncGenerator<Download[]>> {
  const message = await findMessage(ctx.db.read, messageId);
  if (message === undefined || message.ownerId !== caller.userId) throw notFound('message');
  return readDownloadPages(ctx.db.read, { ownerId: caller.userId, messageId });
}

/** When one person last downloaded each file of a message. Of unknown visitors, what this browser has pressed today. */
export async function listOwnDownloads(
  ctx: Ctx,
  message: Message,
  { identity, browser }: { identity: string; browser: string | undefined },
): Promise<Map<string, number>> {
  if (identity !== '') return findLastDownloads(ctx.db.read, message.id, identity);
  return browser === undefined ? new Map() : findVisitorDownloads(ctx.db.read, message.id, visitorHash(ctx, browser));
}
