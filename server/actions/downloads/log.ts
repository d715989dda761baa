// Reading the download log, a page at a time, so that a million lines need no memory.
import { type DownloadScope, findLastDownloads, firstDownloadNumberSince, listDownloads } from '../../db/downloads.ts';
import { findMessage } from '../../db/messages.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Download } from '../../domain/downloads.ts';
import type { Message } from '../../domain/messages.ts';
import { notFound } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { getOwnFileLink } from '../file-links/file-links.ts';

/** Small enough to be garbage before the collector looks twice: larger pages make a long log cost memory. */
const pageSize = 100;

/** The caller's whole log, oldest first; `after` leaves out what came before that instant. */
export function readDownloads(ctx: Ctx, caller: UserCaller, after: number | null): AsyncGenerator<Download[]> {
  return pages(ctx, { ownerId: caller.userId, ...(after === null ? {} : { grantedAfter: after }) });
}

/** The log of one of the caller's links. */
export async function readLinkDownloads(
  ctx: Ctx,
  caller: UserCaller,
  linkId: string,
): Promise<AsyncGenerator<Download[]>> {
  const link = await getOwnFileLink(ctx, caller, linkId);
  return pages(ctx, { ownerId: caller.userId, linkId: link.id });
}

/** The log of one of the caller's messages. */
export async function readMessageDownloads(
  ctx: Ctx,
  caller: UserCaller,
  messageId: string,
): Promise<AsyncGenerator<Download[]>> {
  const message = await findMessage(ctx.db.read, messageId);
  if (message === undefined || message.ownerId !== caller.userId) throw notFound('message');
  return pages(ctx, { ownerId: caller.userId, messageId });
}

/** When one person last downloaded each file of a message. Nothing is known of unknown visitors. */
export async function listOwnDownloads(ctx: Ctx, message: Message, identity: string): Promise<Map<string, number>> {
  return identity === '' ? new Map() : findLastDownloads(ctx.db.read, message.id, identity);
}

async function* pages(ctx: Ctx, scope: DownloadScope): AsyncGenerator<Download[]> {
  let last = 0;
  if (scope.grantedAfter !== undefined) {
    const first = await firstDownloadNumberSince(ctx.db.read, scope.ownerId, scope.grantedAfter);
    if (first === null) return;
    last = first - 1;
  }
  for (;;) {
    const lines = await listDownloads(ctx.db.read, scope, last, pageSize);
    if (lines.length === 0) return;
    yield lines;
    last = lines.at(-1)!.number;
  }
}
