// Reads download logs: of a user, a link, a message.
import {
  countSlice,
  type LogFilter,
  listLogNumbers,
  listLogNumbersAfter,
} from '../../db/downloads/download-figures.ts';
import { findLastDownloads, listDownloadsByNumber, readDownloadPages } from '../../db/downloads/downloads.ts';
import { findVisitorDownloads } from '../../db/downloads/tickets.ts';
import { findMessage, findSubjects } from '../../db/messages/messages.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { countDownloads } from '../../domain/download-sums.ts';
import type { Download } from '../../domain/downloads.ts';
import type { Message } from '../../domain/messages.ts';
import { notFound } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { getOwnFileLink } from '../file-links/file-links.ts';
import type { Listed } from '../listing.ts';
import { readSummedLog } from './day-sums.ts';
import { type LogQuery, slicesOf } from './slices.ts';
import { visitorHash } from './tickets.ts';

/** Oldest first; `after` is exclusive. */
export function readDownloads(ctx: Ctx, caller: UserCaller, after: number | null): AsyncGenerator<Download[]> {
  return readDownloadPages(ctx.db.read, { ownerId: caller.userId, ...(after === null ? {} : { grantedAfter: after }) });
}

export async function readLinkDownloads(
  ctx: Ctx,
  caller: UserCaller,
  linkId: string,
): Promise<AsyncGenerator<Download[]>> {
  const link = await getOwnFileLink(ctx, caller, linkId);
  return readDownloadPages(ctx.db.read, { ownerId: caller.userId, linkId: link.id });
}

export async function readMessageDownloads(
  ctx: Ctx,
  caller: UserCaller,
  messageId: string,
): Promise<AsyncGenerator<Download[]>> {
  const message = await findMessage(ctx.db.read, messageId);
  if (message === undefined || message.ownerId !== caller.userId) throw notFound('message');
  return readDownloadPages(ctx.db.read, { ownerId: caller.userId, messageId });
}

/** Of each file; for an unknown visitor, of this browser today. */
export async function listOwnDownloads(
  ctx: Ctx,
  message: Message,
  { identity, browser }: { identity: string; browser: string | undefined },
): Promise<Map<string, number>> {
  if (identity !== '') return findLastDownloads(ctx.db.read, message.id, identity);
  return browser === undefined ? new Map() : findVisitorDownloads(ctx.db.read, message.id, visitorHash(ctx, browser));
}

export interface LogEntry extends Download {
  /** Subject of the message, or file name of the link. */
  sourceName: string;
}

export async function listLog(
  ctx: Ctx,
  caller: UserCaller,
  query: LogQuery,
  { page, size, order }: { page: number; size: number; order: { direction: 'asc' | 'desc' } },
): Promise<Listed<LogEntry>> {
  const filter: LogFilter = { ...query, ownerId: caller.userId };
  const total = await countLog(ctx, filter);
  const offset = (page - 1) * size;
  const numbers =
    offset >= total ? [] : await listLogNumbers(ctx.db.read, filter, order.direction, { offset, limit: size });
  const lines = await listDownloadsByNumber(ctx.db.read, caller.userId, numbers);
  const items = await withSources(ctx, lines);
  return { items, total, page, size, isComplete: true };
}

async function countLog(ctx: Ctx, filter: LogFilter): Promise<number> {
  const { days, rest } = await readSummedLog(ctx, filter);
  let total = days.reduce((sum, day) => sum + countDownloads(day), 0);
  for (const { from, to } of rest)
    for await (const slice of slicesOf(ctx, { ...filter, from, to })) total += await countSlice(ctx.db.read, slice);
  return total;
}

async function withSources(ctx: Ctx, lines: Download[]): Promise<LogEntry[]> {
  const messageIds = new Set(lines.flatMap(({ messageId }) => messageId ?? []));
  const subjects = await findSubjects(ctx.db.read, [...messageIds]);
  return lines.map((line) => ({
    ...line,
    sourceName: line.messageId === null ? line.fileName : (subjects.get(line.messageId) ?? ''),
  }));
}

const exportBatchSize = 200;

export async function* readLog(ctx: Ctx, caller: UserCaller, query: LogQuery): AsyncGenerator<Download[]> {
  const filter: LogFilter = { ...query, ownerId: caller.userId };
  let after = { grantedAt: filter.from, number: 0 };
  for (;;) {
    const lines = await listLogNumbersAfter(ctx.db.read, filter, after, exportBatchSize);
    if (lines.length === 0) return;
    yield await listDownloadsByNumber(
      ctx.db.read,
      caller.userId,
      lines.map((line) => line.number),
    );
    after = lines.at(-1)!;
  }
}
