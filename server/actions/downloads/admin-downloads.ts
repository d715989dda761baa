// Downloads of all users, for administrators and auditors. Metadata only, without file names.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { SummedDay } from '../../db/downloads/download-days.ts';
import {
  type AdminDownloadFilter,
  listAdminDownloads,
  listAdminRecipients,
  sumAdminDownloads,
} from '../../db/downloads/download-lists.ts';
import { findAccountNames } from '../../db/events/event-lists.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { AdminDownload, DownloadPlace } from '../../domain/download-lists.ts';
import { addSum, mostFirst, personNumber, type Sum, visitDaySums } from '../../domain/download-sums.ts';
import { invalid } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { addDays, dateOf, datesFrom, daysBetween, endOfDay, startOfDay } from '../../lib/dates.ts';
import type { Ctx } from '../context.ts';
import { findByReference, referencesOf } from '../transfers/references.ts';
import { findOwner, scopeOf } from '../transfers/transfers.ts';
import { localDaysOf, readSummedAdminLog } from './day-sums.ts';
import { dateOfDay } from './statistics.ts';

export interface AdminLogQuery {
  person?: string | undefined;
  recipient?: string | undefined;
  object?: string | undefined;
  country?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  days?: number | undefined;
}

export interface NamedDownload extends Omit<AdminDownload, 'messageId' | 'linkId'> {
  object: { kind: 'message' | 'link'; reference: string };
  owner: { id: string; name: string; email: string };
}

/** Days are in the time zone of the installation. */
interface ResolvedQuery {
  filter: AdminDownloadFilter;
  firstDay: string;
  lastDay: string;
}

const defaultDays = 30;
const maxDays = 366;
const idPattern = /[A-Za-z0-9]{22}/;

async function resolveQuery(ctx: Ctx, caller: UserCaller, query: AdminLogQuery): Promise<ResolvedQuery> {
  requireRight(caller, 'console.read');
  const { timeZone } = ctx.settings.surroundings;
  const nonEmpty = (text: string | undefined) => (text === undefined || text.trim() === '' ? null : text.trim());
  const emptyIfUnknown = (text: string | null) => (text === 'unknown' ? '' : text);
  const lastDay = query.to ?? dateOf(ctx.clock.now(), timeZone);
  const firstDay = query.from ?? addDays(lastDay, 1 - (query.days ?? defaultDays));
  if (firstDay > lastDay) throw invalid('log.bad_range', 'The first day must not be after the last one.', 'from');
  if (daysBetween(firstDay, lastDay) >= maxDays)
    throw invalid('log.too_long', `Choose at most ${maxDays} days.`, 'from').withValues({ n: maxDays });
  const { hiddenGroupIds, callerId } = await scopeOf(ctx, caller);
  const person = nonEmpty(query.person);
  const object = nonEmpty(query.object);
  return {
    firstDay,
    lastDay,
    filter: {
      ownerId: person === null ? null : (await findOwner(ctx, caller, person)).id,
      recipient: emptyIfUnknown(nonEmpty(query.recipient)?.toLowerCase() ?? null),
      objectId:
        object === null
          ? null
          : ((await findByReference(ctx.db.read, object)) ?? idPattern.exec(object)?.[0] ?? object),
      countryCode: emptyIfUnknown(nonEmpty(query.country)),
      from: startOfDay(firstDay, timeZone),
      to: endOfDay(lastDay, timeZone),
      hiddenGroupIds,
      callerId,
    },
  };
}

export async function listAdminLog(
  ctx: Ctx,
  caller: UserCaller,
  query: AdminLogQuery,
  page: { before: DownloadPlace | null; size: number },
): Promise<{ downloads: NamedDownload[]; next: DownloadPlace | null }> {
  const { filter } = await resolveQuery(ctx, caller, query);
  const found = await listAdminDownloads(ctx.db.read, filter, { before: page.before, limit: page.size + 1 });
  const shown = found.slice(0, page.size);
  const last = shown.at(-1);
  return {
    downloads: await withOwners(ctx, shown, filter),
    next: found.length > page.size && last !== undefined ? placeOf(last) : null,
  };
}

function placeOf({ grantedAt, ownerId, number }: DownloadPlace): DownloadPlace {
  return { grantedAt, ownerId, number };
}

async function withOwners(ctx: Ctx, lines: AdminDownload[], filter: AdminDownloadFilter): Promise<NamedDownload[]> {
  const names = await findAccountNames(ctx.db.read, [...new Set(lines.map(({ ownerId }) => ownerId))], filter);
  const references = await referencesOf(ctx, lines.map(objectIdOf));
  return lines.map(({ messageId, linkId, ...line }) => ({
    ...line,
    object: {
      kind: messageId === null ? 'link' : 'message',
      reference: references.get(objectIdOf({ messageId, linkId })) ?? '',
    },
    owner: ownerOf(names, line.ownerId),
  }));
}

function objectIdOf({ messageId, linkId }: Pick<AdminDownload, 'messageId' | 'linkId'>): string {
  return messageId ?? linkId ?? '';
}

function ownerOf(names: Map<string, { name: string; email: string }>, id: string): NamedDownload['owner'] {
  return { id, ...(names.get(id) ?? { name: '', email: '' }) };
}

const exportSize = 500;

export async function* readAdminLog(
  ctx: Ctx,
  caller: UserCaller,
  query: AdminLogQuery,
): AsyncGenerator<NamedDownload[]> {
  const { filter } = await resolveQuery(ctx, caller, query);
  for (let before: DownloadPlace | null = null; ; ) {
    const lines: AdminDownload[] = await listAdminDownloads(ctx.db.read, filter, {
      before,
      limit: exportSize,
    });
    if (lines.length > 0) yield await withOwners(ctx, lines, filter);
    if (lines.length < exportSize) return;
    before = placeOf(lines.at(-1)!);
  }
}

export interface AdminStatistics extends Sum {
  firstDay: string;
  lastDay: string;
  recipients: number;
  days: (Sum & { date: string })[];
  countries: { countryCode: string; downloads: number }[];
  owners: (Sum & NamedDownload['owner'])[];
}

const maxRecipients = 100_000;
const shownOwners = 10;

interface Gathered {
  days: Map<string, Sum>;
  countries: Map<string, Sum>;
  owners: Map<string, Sum>;
  recipients: Set<number>;
}

export async function getAdminStatistics(ctx: Ctx, caller: UserCaller, query: AdminLogQuery): Promise<AdminStatistics> {
  const { filter, firstDay, lastDay } = await resolveQuery(ctx, caller, query);
  const gathered: Gathered = { days: new Map(), countries: new Map(), owners: new Map(), recipients: new Set() };
  for (const date of datesFrom(firstDay, lastDay)) gathered.days.set(date, { downloads: 0, bytes: 0 });
  const { days: summed, rest } = await readSummedAdminLog(ctx, filter);
  addSummedDays(ctx, gathered, filter, summed);
  for (const { from, to } of rest) await addRows(ctx, gathered, { ...filter, from, to });
  const { days, countries, owners, recipients } = gathered;
  const top = mostFirst(owners).slice(0, shownOwners);
  const names = await findAccountNames(
    ctx.db.read,
    top.map(([id]) => id),
    filter,
  );
  const all = [...days.values()];
  return {
    firstDay,
    lastDay,
    downloads: all.reduce((sum, day) => sum + day.downloads, 0),
    bytes: all.reduce((sum, day) => sum + day.bytes, 0),
    recipients: Math.min(recipients.size, maxRecipients),
    days: [...days].map(([date, sum]) => ({ date, ...sum })),
    countries: mostFirst(countries).map(([countryCode, { downloads }]) => ({ countryCode, downloads })),
    owners: top.map(([id, sum]) => ({ ...ownerOf(names, id), ...sum })),
  };
}

function addSummedDays(ctx: Ctx, gathered: Gathered, filter: AdminDownloadFilter, summed: SummedDay[]): void {
  const localDayOf = localDaysOf(summed, ctx.settings.surroundings.timeZone);
  for (const day of summed)
    visitDaySums(day, {
      quarter: (quarter, sum) => addSum(gathered.days, dateOfDay(localDayOf(day, quarter)), sum),
      place: ({ countryCode, downloads }) => addSum(gathered.countries, countryCode, { downloads, bytes: 0 }),
      // In the sums of one owner the parts are files.
      part: (part, sum) => addSum(gathered.owners, filter.ownerId ?? part, sum),
      person: (number) => void gathered.recipients.add(number),
    });
}

/** Day by day, so that other queries do not wait. */
async function addRows(ctx: Ctx, gathered: Gathered, filter: AdminDownloadFilter): Promise<void> {
  const { timeZone } = ctx.settings.surroundings;
  const { days, countries, owners, recipients } = gathered;
  const lastDate = dateOf(filter.to - 1, timeZone);
  for (const date of datesFrom(dateOf(filter.from, timeZone), lastDate)) {
    const from = Math.max(filter.from, startOfDay(date, timeZone));
    const dayFilter = { ...filter, from, to: Math.min(filter.to, endOfDay(date, timeZone)) };
    const sums = await sumAdminDownloads(ctx.db.read, dayFilter);
    for (const sum of sums) {
      addSum(days, date, sum);
      addSum(countries, sum.countryCode, sum);
      addSum(owners, sum.ownerId, sum);
    }
    if (sums.length > 0 && recipients.size < maxRecipients)
      for (const address of await listAdminRecipients(ctx.db.read, dayFilter)) recipients.add(personNumber(address));
    await yieldToEventLoop();
  }
}
