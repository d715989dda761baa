// Statistics of the caller's download log, from daily sums where they exist, else from rows.
import { findFileNames } from '../../db/attachments/attachments.ts';
import type { SummedDay } from '../../db/downloads/download-days.ts';
import {
  dayMs,
  type LogFilter,
  listSlicePeople,
  sumSlice,
  sumSliceByFile,
} from '../../db/downloads/download-figures.ts';
import type { UserCaller } from '../../domain/caller.ts';
import {
  addSum,
  joinPlace,
  mostFirst,
  type PlaceSum,
  personNumber,
  type Sum,
  visitDaySums,
} from '../../domain/download-sums.ts';
import { countryNameOf } from '../../lib/geo.ts';
import type { Ctx } from '../context.ts';
import { type LocalDays, localDaysOf, readSummedLog } from './day-sums.ts';
import { type LogQuery, zonedSlicesOf } from './slices.ts';

export interface LogStatistics {
  firstDay: string;
  lastDay: string;
  downloads: number;
  bytes: number;
  people: number;
  countries: number;
  withoutLocation: number;
  perDay: { date: string; downloads: number; bytes: number }[];
  perCountry: {
    countryCode: string;
    countryName: string;
    downloads: number;
    latitude: number | null;
    longitude: number | null;
  }[];
  topFiles: { attachmentId: string; fileName: string; downloads: number; bytes: number }[];
  devices: { device: string; downloads: number }[];
}

/** Most files and recipients counted separately; others count in the totals only. */
const maxDistinct = 100_000;
const shownFiles = 10;

interface Gathered {
  days: Map<number, Sum>;
  files: Map<string, Sum>;
  devices: Map<string, Sum>;
  countries: Map<string, PlaceSum>;
  people: Set<number>;
}

export async function getLogStatistics(ctx: Ctx, caller: UserCaller, query: LogQuery): Promise<LogStatistics> {
  const filter = { ...query, ownerId: caller.userId };
  const gathered: Gathered = {
    days: new Map(),
    files: new Map(),
    devices: new Map(),
    countries: new Map(),
    people: new Set(),
  };
  const { days, rest } = await readSummedLog(ctx, filter);
  const localDayOf = localDaysOf(days, query.timeZone);
  for (const day of days) addSummedDay(gathered, day, localDayOf);
  for (const { from, to } of rest) await addRows(ctx, gathered, { ...filter, from, to });
  return { firstDay: query.firstDay, lastDay: query.lastDay, ...(await describe(ctx, gathered)) };
}

function addSummedDay(
  { days, files, devices, countries, people }: Gathered,
  summed: SummedDay,
  localDayOf: LocalDays,
): void {
  visitDaySums(summed, {
    quarter: (quarter, sum) => addSum(days, localDayOf(summed, quarter), sum),
    part: (file, sum) => addBounded(files, file, sum),
    place(place) {
      addSum(devices, place.platform, { downloads: place.downloads, bytes: 0 });
      addCountry(countries, place);
    },
    person: (number) => void (people.size < maxDistinct && people.add(number)),
  });
}

async function addRows(ctx: Ctx, gathered: Gathered, filter: LogFilter & { timeZone: string }): Promise<void> {
  const { days, files, devices, countries, people } = gathered;
  for await (const { slice, offsetMs } of zonedSlicesOf(ctx, filter)) {
    for (const row of await sumSlice(ctx.db.read, slice, offsetMs)) {
      addSum(days, row.day, row);
      addSum(devices, row.platform, row);
      addCountry(countries, row);
    }
    for (const row of await sumSliceByFile(ctx.db.read, slice)) addBounded(files, row.attachmentId, row);
    for (const address of await listSlicePeople(ctx.db.read, slice))
      if (people.size < maxDistinct) people.add(personNumber(address));
  }
}

async function describe(
  ctx: Ctx,
  { days, files, devices, countries, people }: Gathered,
): Promise<Omit<LogStatistics, 'firstDay' | 'lastDay'>> {
  const withoutLocation = countries.get('')?.downloads ?? 0;
  countries.delete('');
  const all = [...days.values()];
  return {
    downloads: all.reduce((sum, day) => sum + day.downloads, 0),
    bytes: all.reduce((sum, day) => sum + day.bytes, 0),
    people: people.size,
    countries: countries.size,
    withoutLocation,
    perDay: [...days].toSorted(([a], [b]) => a - b).map(([day, sum]) => ({ date: dateOfDay(day), ...sum })),
    perCountry: mostFirst(countries).map(([code, sum]) => ({
      countryCode: code,
      countryName: countryNameOf(code),
      downloads: sum.downloads,
      latitude: sum.located === 0 ? null : sum.latitude / sum.located,
      longitude: sum.located === 0 ? null : sum.longitude / sum.located,
    })),
    topFiles: await nameFiles(ctx, mostFirst(files).slice(0, shownFiles)),
    devices: mostFirst(devices).map(([device, sum]) => ({ device: device || 'unknown', downloads: sum.downloads })),
  };
}

function addBounded(sums: Map<string, Sum>, key: string, more: Sum): void {
  if (sums.size < maxDistinct || sums.has(key)) addSum(sums, key, more);
}

function addCountry(countries: Map<string, PlaceSum>, place: PlaceSum): void {
  const sum = countries.get(place.countryCode);
  if (sum === undefined) return void countries.set(place.countryCode, { ...place });
  joinPlace(sum, place);
}

async function nameFiles(ctx: Ctx, files: [string, Sum][]): Promise<LogStatistics['topFiles']> {
  const names = await findFileNames(
    ctx.db.read,
    files.map(([id]) => id),
  );
  return files.map(([attachmentId, sum]) => ({ attachmentId, fileName: names.get(attachmentId) ?? '', ...sum }));
}

/** Days since 1970. */
export function dateOfDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
