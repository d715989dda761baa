// The caller's links with what came of them, for the web app.
import { countPerDay, findLinkDownloads } from '../../db/download-figures.ts';
import {
  countFileLinks,
  type FileLinkRow,
  findFileLink,
  type LinkFilter,
  type LinkSort,
  listFileLinksPage,
} from '../../db/file-links.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Download } from '../../domain/downloads.ts';
import { demandMayUseLinks, type FileLink } from '../../domain/file-links.ts';
import { notFound } from '../../domain/problem.ts';
import { isId } from '../../lib/ids.ts';
import type { Ctx } from '../context.ts';
import { readNewestOfLink } from '../downloads/log.ts';
import { type Listed, listPage, type PageWanted } from '../listing.ts';
import { describeLink } from './file-links.ts';

export type LinkState = 'active' | 'ending' | 'expired' | 'deleted';

export interface ListedLink {
  link: FileLink;
  crc32: string;
  state: LinkState;
  downloads: number;
  lastDownloadAt: number | null;
}

export interface LinksWanted extends PageWanted {
  state: LinkFilter['state'];
  order: { by: LinkSort; direction: 'asc' | 'desc' };
}

const endingMs = 3 * 86_400_000;

export async function listLinks(ctx: Ctx, caller: UserCaller, wanted: LinksWanted): Promise<Listed<ListedLink>> {
  demandMayUseLinks(caller.policy);
  const now = ctx.clock.now();
  const filter: LinkFilter = { ownerId: caller.userId, state: wanted.state, now, endingBefore: now + endingMs };
  const listed = await listPage(wanted, {
    count: () => countFileLinks(ctx.db.read, filter),
    rows: (offset, limit) => listFileLinksPage(ctx.db.read, filter, wanted.order, { offset, limit }),
    texts: (row) => [ctx.keys.openText('name', row.name_sealed, row.attachment_id), row.id],
  });
  return { ...listed, items: await withDownloads(ctx, listed.items) };
}

async function withDownloads(ctx: Ctx, rows: FileLinkRow[]): Promise<ListedLink[]> {
  const downloads = await findLinkDownloads(
    ctx.db.read,
    rows.map((row) => row.id),
  );
  return rows.map((row) => ({
    link: describeLink(ctx, row),
    crc32: row.crc32,
    state: linkStateOf(row, ctx.clock.now()),
    downloads: downloads.get(row.id)?.count ?? 0,
    lastDownloadAt: downloads.get(row.id)?.lastAt ?? null,
  }));
}

export function linkStateOf(row: Pick<FileLinkRow, 'state' | 'expires_at'>, now: number): LinkState {
  if (row.state === 'deleted') return 'deleted';
  if (row.state === 'released' || row.expires_at <= now) return 'expired';
  return row.expires_at <= now + endingMs ? 'ending' : 'active';
}

export interface LinkDetail extends ListedLink {
  perDay: { day: number; downloads: number }[];
  recent: Download[];
}

const shownDays = 90;
const shownDownloads = 25;

/** One of the caller's links, also a deleted one; unknown and foreign ones are the same. */
export async function getLink(ctx: Ctx, caller: UserCaller, id: string): Promise<LinkDetail> {
  demandMayUseLinks(caller.policy);
  const row = isId(id) ? await findFileLink(ctx.db.read, id) : undefined;
  if (row === undefined || row.owner_id !== caller.userId) throw notFound('link');
  const [listed] = await withDownloads(ctx, [row]);
  return {
    ...listed!,
    perDay: await countPerDay(ctx.db.read, id, ctx.clock.now() - shownDays * 86_400_000),
    recent: await readNewestOfLink(ctx, caller.userId, id, shownDownloads),
  };
}
