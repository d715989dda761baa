// Figures over the caller's download log, filtered pages of it, and reading it on for an export. Everything is summed in
// slices, so that a million lines neither fill the memory nor hold up anybody else for long.
import { setImmediate as breathe } from 'node:timers/promises';
import { findFileNames } from '../../db/attachments.ts';
import {
  countSlice,
  dayMs,
  findInstantAfter,
  findNumberAfter,
  isNarrow,
  type LogFilter,
  type LogSlice,
  listLogNumbers,
  listLogNumbersAfter,
  listSlicePeople,
  sumSlice,
  sumSliceByFile,
} from '../../db/download-figures.ts';
import { listDownloadsByNumber } from '../../db/downloads.ts';
import { findSubjects } from '../../db/messages.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Download } from '../../domain/downloads.ts';
import { zoneStretches } from '../../lib/dates.ts';
import { countryNameOf } from '../../lib/geo.ts';
import type { Ctx } from '../context.ts';
import type { Listed } from '../listing.ts';

export interface LogWanted extends Omit<LogFilter, 'ownerId'> {
  /** The same time as days of a zone, `YYYY-MM-DD`. */
  firstDay: string;
  lastDay: string;
  timeZone: string;
}

/** Lines summed at once: read from an index alone, or row by row. */
const sliceLines = { wide: 8000, narrow: 4000 };

async function* slicesOf(ctx: Ctx, filter: LogFilter): AsyncGenerator<LogSlice> {
  let { from } = filter;
  let afterNumber = 0;
  for (;;) {
    if (isNarrow(filter)) {
      const toNumber = await findNumberAfter(ctx.db.read, filter, afterNumber, sliceLines.narrow - 1);
      yield { ...filter, afterNumber, toNumber };
      if (toNumber === null) return;
      afterNumber = toNumber;
    } else {
      const next = await findInstantAfter(ctx.db.read, { ...filter, from }, sliceLines.wide);
      // An instant with very many lines is not divided.
      const to = next === null ? filter.to : Math.max(next, from + 1);
      yield { ...filter, from, to, afterNumber: 0, toNumber: null };
      if (next === null) return;
      from = to;
    }
    await breathe();
  }
}

/** Slices in each of which clocks of the zone do not change. Times without any line are left out first. */
async function* zonedSlicesOf(
  ctx: Ctx,
  filter: LogFilter & { timeZone: string },
): AsyncGenerator<{ slice: LogSlice; offsetMs: number }> {
  const first = await findInstantAfter(ctx.db.read, filter, 0);
  if (first === null) return;
  const end = Math.min(filter.to, ctx.clock.now() + dayMs);
  for (const { from, to, offsetMs } of zoneStretches(filter.timeZone, first, end))
    for await (const slice of slicesOf(ctx, { ...filter, from, to })) yield { slice, offsetMs };
}

export interface LogFigures {
  downloads: number;
  bytes: number;
  people: number;
  countries: number;
  withoutLocation: number;
  perDay: { day: number; downloads: number; bytes: number }[];
  perCountry: {
    code: string;
    name: string;
    downloads: number;
    latitude: number | null;
    longitude: number | null;
  }[];
  topFiles: { attachmentId: string; fileName: string; downloads: number; bytes: number }[];
  devices: { device: string; downloads: number }[];
}

/** Files and people told apart; whatever comes beyond counts in the sums only. */
const mostDistinct = 100_000;
const shownFiles = 10;

interface Sum {
  downloads: number;
  bytes: number;
}
interface CountrySum {
  downloads: number;
  latitude: number;
  longitude: number;
  located: number;
}

export async function getLogFigures(ctx: Ctx, caller: UserCaller, wanted: LogWanted): Promise<LogFigures> {
  const days = new Map<number, Sum>();
  const files = new Map<string, Sum>();
  const devices = new Map<string, Sum>();
  const countries = new Map<string, CountrySum>();
  const people = new Set<string>();
  for await (const { slice, offsetMs } of zonedSlicesOf(ctx, { ...wanted, ownerId: caller.userId })) {
    for (const row of await sumSlice(ctx.db.read, slice, offsetMs)) {
      add(days, row.day, row);
      add(devices, row.platform, row);
      addCountry(countries, row.countryCode, row);
    }
    for (const row of await sumSliceByFile(ctx.db.read, slice)) add(files, row.attachmentId, row);
    for (const address of await listSlicePeople(ctx.db.read, slice))
      if (people.size < mostDistinct) people.add(address);
  }
  const withoutLocation = countries.get('')?.downloads ?? 0;
  countries.delete('');
  const all = [...days.values()];
  return {
    downloads: all.reduce((sum, day) => sum + day.downloads, 0),
    bytes: all.reduce((sum, day) => sum + day.bytes, 0),
    people: people.size,
    countries: countries.size,
    withoutLocation,
    perDay: [...days].toSorted(([one], [other]) => one - other).map(([day, sum]) => ({ day, ...sum })),
    perCountry: mostFirst(countries).map(([code, sum]) => ({
      code,
      name: countryNameOf(code),
      downloads: sum.downloads,
      latitude: sum.located === 0 ? null : sum.latitude / sum.located,
      longitude: sum.located === 0 ? null : sum.longitude / sum.located,
    })),
    topFiles: await nameFiles(ctx, mostFirst(files).slice(0, shownFiles)),
    devices: mostFirst(devices).map(([device, sum]) => ({ device, downloads: sum.downloads })),
  };
}

function add<Key>(sums: Map<Key, Sum>, key: Key, row: { count: number; bytes: number }): void {
  const sum = sums.get(key);
  if (sum === undefined) {
    if (sums.size < mostDistinct) sums.set(key, { downloads: row.count, bytes: row.bytes });
    return;
  }
  sum.downloads += row.count;
  sum.bytes += row.bytes;
}

/** Keeps the middle of where its downloads were; averages of groups are weighed by their size. */
function addCountry(
  sums: Map<string, CountrySum>,
  code: string,
  row: { count: number; latitude: number | null; longitude: number | null },
): void {
  const sum = sums.get(code) ?? { downloads: 0, latitude: 0, longitude: 0, located: 0 };
  sums.set(code, sum);
  sum.downloads += row.count;
  if (row.latitude === null || row.longitude === null) return;
  sum.latitude += row.latitude * row.count;
  sum.longitude += row.longitude * row.count;
  sum.located += row.count;
}

function mostFirst<Key extends string, Value extends { downloads: number }>(sums: Map<Key, Value>): [Key, Value][] {
  return [...sums].toSorted(
    ([key, one], [otherKey, other]) => other.downloads - one.downloads || (key < otherKey ? -1 : 1),
  );
}

async function nameFiles(ctx: Ctx, files: [string, Sum][]): Promise<LogFigures['topFiles']> {
  const names = await findFileNames(
    ctx.db.read,
    files.map(([id]) => id),
  );
  return files.map(([attachmentId, sum]) => ({ attachmentId, fileName: names.get(attachmentId) ?? '', ...sum }));
}

export interface LogEntry extends Download {
  /** Subject of the message, or file name of the link. */
  sourceName: string;
}

/** One page of the log. */
export async function listLog(
  ctx: Ctx,
  caller: UserCaller,
  wanted: LogWanted,
  page: { page: number; size: number; direction: 'asc' | 'desc' },
): Promise<Listed<LogEntry>> {
  const filter: LogFilter = { ...wanted, ownerId: caller.userId };
  let total = 0;
  for await (const slice of slicesOf(ctx, filter)) total += await countSlice(ctx.db.read, slice);
  const offset = (page.page - 1) * page.size;
  const numbers =
    offset >= total ? [] : await listLogNumbers(ctx.db.read, filter, page.direction, { offset, limit: page.size });
  const lines = await listDownloadsByNumber(ctx.db.read, caller.userId, numbers);
  const items = await withSources(ctx, lines);
  return { items, total, page: page.page, size: page.size, isComplete: true };
}

async function withSources(ctx: Ctx, lines: Download[]): Promise<LogEntry[]> {
  const messageIds = new Set(lines.flatMap(({ messageId }) => messageId ?? []));
  const subjects = await findSubjects(ctx.db.read, [...messageIds]);
  return lines.map((line) => ({
    ...line,
    sourceName: line.messageId === null ? line.fileName : (subjects.get(line.messageId) ?? ''),
  }));
}

const exportLines = 200;

/** Every line of the filter, oldest first, a few at a time. */
export async function* readLog(ctx: Ctx, caller: UserCaller, wanted: LogWanted): AsyncGenerator<Download[]> {
  const filter: LogFilter = { ...wanted, ownerId: caller.userId };
  let after = { grantedAt: filter.from, number: 0 };
  for (;;) {
    const lines = await listLogNumbersAfter(ctx.db.read, filter, after, exportLines);
    if (lines.length === 0) return;
    yield await listDownloadsByNumber(
      ctx.db.read,
      caller.userId,
      lines.map((line) => line.number),
    );
    after = lines.at(-1)!;
  }
}

/** Days since 1970 as a date. */
export function dateOfDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
