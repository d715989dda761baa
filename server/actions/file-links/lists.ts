// The caller's links with download statistics, for the web app.
import { countPerQuarter, findLinkDownloads } from '../../db/downloads/download-figures.ts';
import { listNewestOfLink } from '../../db/downloads/downloads.ts';
import {
  countFileLinks,
  findFileLink,
  type LinkFilter,
  type LinkOrder,
  listFileLinksPage,
} from '../../db/file-links/file-links.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { quarterMs } from '../../domain/download-sums.ts';
import type { Download } from '../../domain/downloads.ts';
import {
  assertMayUseLinks,
  type FileLink,
  type LinkState,
  linkEndingMs,
  linkStateAt,
} from '../../domain/file-links.ts';
import { notFound } from '../../domain/problem.ts';
import { addDays, dateOf, dayFinder, startOfDay } from '../../lib/dates.ts';
import { isId } from '../../lib/ids.ts';
import type { Ctx } from '../context.ts';
import { dateOfDay } from '../downloads/statistics.ts';
import { type Listed, listPage, type PageQuery } from '../listing.ts';

export interface ListedLink extends Omit<FileLink, 'state'> {
  state: LinkState;
  downloads: number;
  lastDownloadAt: number | null;
}

export interface LinksQuery extends PageQuery {
  state: LinkFilter['state'];
  order: LinkOrder;
}

export async function listLinks(ctx: Ctx, caller: UserCaller, query: LinksQuery): Promise<Listed<ListedLink>> {
  assertMayUseLinks(caller.policy);
  const now = ctx.clock.now();
  const filter: LinkFilter = { ownerId: caller.userId, state: query.state, now, endingBefore: now + linkEndingMs };
  const listed = await listPage(query, {
    count: () => countFileLinks(ctx.db.read, filter),
    rows: (offset, limit) => listFileLinksPage(ctx.db.read, filter, query.order, { offset, limit }),
    texts: (link) => [link.fileName, link.id],
  });
  return { ...listed, items: await withDownloads(ctx, listed.items) };
}

async function withDownloads(ctx: Ctx, links: FileLink[]): Promise<ListedLink[]> {
  const downloads = await findLinkDownloads(
    ctx.db.read,
    links.map((link) => link.id),
  );
  return links.map((link) => ({
    ...link,
    state: linkStateAt(link, ctx.clock.now()),
    downloads: downloads.get(link.id)?.count ?? 0,
    lastDownloadAt: downloads.get(link.id)?.lastAt ?? null,
  }));
}

export interface LinkDetail extends ListedLink {
  downloadsPerDay: { date: string; downloads: number }[];
  recentDownloads: Download[];
}

const shownDays = 90;
const shownDownloads = 25;

/** Also finds a deleted link. Days are those of `timeZone`. */
export async function getLink(ctx: Ctx, caller: UserCaller, id: string, timeZone: string): Promise<LinkDetail> {
  assertMayUseLinks(caller.policy);
  const link = isId(id) ? await findFileLink(ctx.db.read, id) : null;
  if (link === null || link.ownerId !== caller.userId) throw notFound('link');
  const [listed] = await withDownloads(ctx, [link]);
  return {
    ...listed!,
    downloadsPerDay: await countDays(ctx, id, timeZone),
    recentDownloads: await listNewestOfLink(ctx.db.read, caller.userId, id, shownDownloads),
  };
}

async function countDays(ctx: Ctx, id: string, timeZone: string): Promise<LinkDetail['downloadsPerDay']> {
  const now = ctx.clock.now();
  const since = startOfDay(addDays(dateOf(now, timeZone), 1 - shownDays), timeZone);
  const dayAt = dayFinder(timeZone, since, now);
  const days = new Map<number, number>();
  for (const { quarter, downloads } of await countPerQuarter(ctx.db.read, id, since)) {
    const day = dayAt(quarter * quarterMs);
    days.set(day, (days.get(day) ?? 0) + downloads);
  }
  return [...days].map(([day, downloads]) => ({ date: dateOfDay(day), downloads }));
}
