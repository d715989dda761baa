// Reading the download log, a page at a time, so that a million lines need no memory.
import {
  type DownloadRow,
  type DownloadScope,
  findLastDownloads,
  firstDownloadNumberSince,
  listDownloads,
  listDownloadsByNumber,
  listNewestOfLink,
} from '../../db/downloads.ts';
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

/** The newest lines of one link, newest first. */
export async function readNewestOfLink(ctx: Ctx, ownerId: string, linkId: string, limit: number): Promise<Download[]> {
  const names = new Map<string, string>();
  const rows = await listNewestOfLink(ctx.db.read, ownerId, linkId, limit);
  return rows.map((row) => describe(row, nameOf(ctx, names, row)));
}

/** These lines of one owner, in this order. */
export async function readDownloadsByNumber(ctx: Ctx, ownerId: string, numbers: number[]): Promise<Download[]> {
  const names = new Map<string, string>();
  const rows = await listDownloadsByNumber(ctx.db.read, ownerId, numbers);
  const byNumber = new Map(rows.map((row) => [row.number, describe(row, nameOf(ctx, names, row))]));
  return numbers.flatMap((number) => byNumber.get(number) ?? []);
}

/** When one identity last got each file of a message, for the page's own note. Unknown visitors have none. */
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
  const names = new Map<string, string>();
  for (;;) {
    const rows = await listDownloads(ctx.db.read, scope, last, pageSize);
    if (rows.length === 0) return;
    yield rows.map((row) => describe(row, nameOf(ctx, names, row)));
    last = rows.at(-1)!.number;
  }
}

/** Names are sealed (docs/adr/0007); one file is often downloaded many times, so a few opened ones are kept. */
function nameOf(ctx: Ctx, names: Map<string, string>, row: DownloadRow): string {
  let name = names.get(row.attachment_id);
  if (name === undefined) {
    name = ctx.keys.openText('name', row.name_sealed, row.attachment_id);
    if (names.size >= 1000) names.clear();
    names.set(row.attachment_id, name);
  }
  return name;
}

function describe(row: DownloadRow, fileName: string): Download {
  return {
    number: row.number,
    attachmentId: row.attachment_id,
    messageId: row.message_id,
    linkId: row.link_id,
    fileName,
    sizeBytes: row.size_bytes,
    contentType: row.content_type,
    sha256: row.sha256,
    crc32: row.crc32,
    downloadedAt: row.granted_at,
    ownerId: row.owner_id,
    recipient: row.recipient,
    durationMs: row.duration_ms,
    sentBytes: row.sent_bytes,
    address: row.remote_ip,
    host: row.remote_host,
    agent: row.user_agent,
    browser: row.browser,
    os: row.os,
    platform: row.platform,
    location: row.location,
    longitude: row.longitude,
    latitude: row.latitude,
    countryCode: row.country_code,
    countryName: row.country_name,
    city: row.city,
    regionCode: row.region_code,
    regionName: row.region_name,
  };
}
