// The download log of everybody, for administrators and auditors: lines, sums and an export. Metadata only: whose file, who
// fetched it, when, how much and from where; never its name.
import { setImmediate as breathe } from 'node:timers/promises';
import {
  type EverybodysFilter,
  listEverybodysDownloads,
  listEverybodysRecipients,
  sumEverybodysDownloads,
} from '../../db/download-lists.ts';
import { findAccountNames } from '../../db/event-lists.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { DownloadPlace, EverybodysDownload } from '../../domain/download-lists.ts';
import { invalid } from '../../domain/problem.ts';
import { demandRight } from '../../domain/roles.ts';
import { addDays, dateOf, endOfDay, startOfDay } from '../../lib/dates.ts';
import type { Ctx } from '../context.ts';
import { findOwner, scopeOf } from '../transfers/transfers.ts';

export interface DownloadWishes {
  person: string | undefined;
  recipient: string | undefined;
  object: string | undefined;
  country: string | undefined;
  from: string | undefined;
  to: string | undefined;
  days: number | undefined;
}

export interface NamedDownload extends EverybodysDownload {
  owner: { id: string; name: string; email: string };
}

/** A filter, and its time as days of the installation. */
interface Settled {
  filter: EverybodysFilter;
  firstDay: string;
  lastDay: string;
}

const usualDays = 30;
const mostDays = 366;
const idPattern = /[A-Za-z0-9]{22}/;

async function settle(ctx: Ctx, caller: UserCaller, wishes: DownloadWishes): Promise<Settled> {
  demandRight(caller, 'console.read');
  const { timeZone } = ctx.settings.surroundings;
  const given = (text: string | undefined) => (text === undefined || text.trim() === '' ? null : text.trim());
  const known = (text: string | null) => (text === 'unknown' ? '' : text);
  const lastDay = wishes.to ?? dateOf(ctx.clock.now(), timeZone);
  const firstDay = wishes.from ?? addDays(lastDay, 1 - (wishes.days ?? usualDays));
  if (firstDay > lastDay) throw invalid('log.bad_range', 'The first day must not be after the last one.', 'from');
  if (addDays(firstDay, mostDays) <= lastDay)
    throw invalid('log.too_long', `Choose at most ${mostDays} days.`, 'from').withValues({ n: mostDays });
  const { hiddenGroupIds, callerId } = await scopeOf(ctx, caller);
  const person = given(wishes.person);
  const object = given(wishes.object);
  return {
    firstDay,
    lastDay,
    filter: {
      ownerId: person === null ? null : (await findOwner(ctx, caller, person)).id,
      recipient: known(given(wishes.recipient)?.toLowerCase() ?? null),
      objectId: object === null ? null : (idPattern.exec(object)?.[0] ?? object),
      countryCode: known(given(wishes.country)),
      from: startOfDay(firstDay, timeZone),
      to: endOfDay(lastDay, timeZone),
      hiddenGroupIds,
      callerId,
    },
  };
}

export async function listEverybodysLog(
  ctx: Ctx,
  caller: UserCaller,
  wishes: DownloadWishes,
  page: { before: DownloadPlace | null; size: number },
): Promise<{ downloads: NamedDownload[]; next: DownloadPlace | null }> {
  const { filter } = await settle(ctx, caller, wishes);
  const found = await listEverybodysDownloads(ctx.db.read, filter, { before: page.before, limit: page.size + 1 });
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

async function withOwners(ctx: Ctx, lines: EverybodysDownload[], filter: EverybodysFilter): Promise<NamedDownload[]> {
  const names = await findAccountNames(ctx.db.read, [...new Set(lines.map(({ ownerId }) => ownerId))], filter);
  return lines.map((line) => ({ ...line, owner: ownerOf(names, line.ownerId) }));
}

function ownerOf(names: Map<string, { name: string; email: string }>, id: string): NamedDownload['owner'] {
  return { id, ...(names.get(id) ?? { name: '', email: '' }) };
}

const exportSize = 500;

/** All of them, newest first, a page at a time. */
export async function* readEverybodysLog(
  ctx: Ctx,
  caller: UserCaller,
  wishes: DownloadWishes,
): AsyncGenerator<NamedDownload[]> {
  const { filter } = await settle(ctx, caller, wishes);
  for (let before: DownloadPlace | null = null; ; ) {
    const lines: EverybodysDownload[] = await listEverybodysDownloads(ctx.db.read, filter, {
      before,
      limit: exportSize,
    });
    if (lines.length > 0) yield await withOwners(ctx, lines, filter);
    if (lines.length < exportSize) return;
    before = placeOf(lines.at(-1)!);
  }
}

interface Sum {
  downloads: number;
  bytes: number;
}

export interface EverybodysFigures extends Sum {
  firstDay: string;
  lastDay: string;
  recipients: number;
  days: (Sum & { date: string })[];
  countries: { code: string; downloads: number }[];
  owners: (Sum & NamedDownload['owner'])[];
}

const mostRecipients = 100_000;
const shownOwners = 10;

/** Day by day, so that nobody else waits long. */
export async function getEverybodysFigures(
  ctx: Ctx,
  caller: UserCaller,
  wishes: DownloadWishes,
): Promise<EverybodysFigures> {
  const { filter, firstDay, lastDay } = await settle(ctx, caller, wishes);
  const { timeZone } = ctx.settings.surroundings;
  const countries = new Map<string, Sum>();
  const owners = new Map<string, Sum>();
  const recipients = new Set<string>();
  const days: EverybodysFigures['days'] = [];
  for (let date = firstDay; date <= lastDay; date = addDays(date, 1)) {
    const ofDay = { ...filter, from: startOfDay(date, timeZone), to: endOfDay(date, timeZone) };
    const day = { date, downloads: 0, bytes: 0 };
    for (const sum of await sumEverybodysDownloads(ctx.db.read, ofDay)) {
      add(day, sum);
      add(sumAt(countries, sum.countryCode), sum);
      add(sumAt(owners, sum.ownerId), sum);
    }
    if (day.downloads > 0 && recipients.size < mostRecipients)
      for (const address of await listEverybodysRecipients(ctx.db.read, ofDay)) recipients.add(address);
    days.push(day);
    await breathe();
  }
  const top = mostFirst(owners).slice(0, shownOwners);
  const names = await findAccountNames(
    ctx.db.read,
    top.map(([id]) => id),
    filter,
  );
  return {
    firstDay,
    lastDay,
    downloads: days.reduce((sum, day) => sum + day.downloads, 0),
    bytes: days.reduce((sum, day) => sum + day.bytes, 0),
    recipients: Math.min(recipients.size, mostRecipients),
    days,
    countries: mostFirst(countries).map(([code, { downloads }]) => ({ code, downloads })),
    owners: top.map(([id, sum]) => ({ ...ownerOf(names, id), ...sum })),
  };
}

function sumAt(sums: Map<string, Sum>, key: string): Sum {
  const known = sums.get(key) ?? { downloads: 0, bytes: 0 };
  sums.set(key, known);
  return known;
}

function add(sum: Sum, more: Sum): void {
  sum.downloads += more.downloads;
  sum.bytes += more.bytes;
}

function mostFirst(sums: Map<string, Sum>): [string, Sum][] {
  return [...sums].toSorted(
    ([key, one], [otherKey, other]) => other.downloads - one.downloads || (key < otherKey ? -1 : 1),
  );
}
