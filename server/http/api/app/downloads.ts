// The download log for the web app: filtered pages, figures, and an export that streams.
import type { z } from 'zod';
import type { AppLogFiguresBody, appLogFiguresQuery } from '#contract/app/downloads.ts';
import { download } from '#contract/downloads.ts';
import { humanSize } from '#contract/sizes.ts';
import { findNames } from '../../../actions/contacts/names.ts';
import { dateOfDay, getLogFigures, type LogFigures } from '../../../actions/downloads/figures.ts';
import { listLog, readLog } from '../../../actions/downloads/log.ts';
import type { LogWanted } from '../../../actions/downloads/slices.ts';
import { invalid } from '../../../domain/problem.ts';
import { csvLine } from '../../../lib/csv.ts';
import { addDays, dateOf, endOfDay, isTimeZone, startOfDay } from '../../../lib/dates.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sendChunks, sendList } from '../../transport/answers.ts';
import { downloadBody } from '../downloads.ts';
import { listBody, orderOf, pageWanted } from './lists.ts';

const usualDays = 30;

export function serveAppLog(serve: Serve): void {
  serve('listAppLog', async ({ ctx, caller, query }) => {
    const { page, size } = pageWanted(query);
    const { direction } = orderOf(query.sort ?? '-downloaded_at');
    const listed = await listLog(ctx, caller, logWanted(query, ctx.clock.now()), { page, size, direction });
    const names = await findNames(
      ctx,
      caller,
      listed.items.map(({ recipient }) => recipient),
    );
    const body = listBody(listed, (entry) => ({ ...downloadBody(entry), source_name: entry.sourceName }));
    return { ...body, names };
  });

  serve('getAppLogFigures', async ({ deps, ctx, caller, query }) => {
    const wanted = logWanted(query, ctx.clock.now());
    return { figures: figuresBody(wanted, await getLogFigures(ctx, caller, wanted), deps.geo.hasData) };
  });

  serve('exportAppLog', async ({ ctx, caller, query, response, requestId }) => {
    const wanted = logWanted(query, ctx.clock.now());
    const pages = readLog(ctx, caller, wanted);
    const name = `downloads-${wanted.firstDay}-${wanted.lastDay}.${query.format}`;
    const disposition = { 'content-disposition': `attachment; filename="${name}"` };
    if (query.format === 'json')
      await sendList({ response, requestId, headers: disposition }, 'downloads', pages, downloadBody);
    else {
      const headers = { ...disposition, 'content-type': 'text/csv; charset=utf-8; header=present' };
      await sendChunks({ response, requestId, headers }, csvOf(pages));
    }
    return alreadySent;
  });
}

/** The names of the fields come with the first lines, so that a fault before them is still an answer. */
async function* csvOf(pages: ReturnType<typeof readLog>): AsyncGenerator<string> {
  let head = csvLine(Object.keys(download.shape));
  for await (const page of pages) {
    yield head + page.map((entry) => csvLine(Object.values(downloadBody(entry)))).join('');
    head = '';
  }
  if (head !== '') yield head;
}

/** The zone whose clocks decide where a day begins. */
export function readZone(zone = 'UTC'): string {
  if (!isTimeZone(zone)) throw invalid('log.bad_zone', 'There is no such time zone.', 'zone');
  return zone;
}

/** Whole days of the zone; 30 of them unless said otherwise. */
function logWanted(query: z.output<typeof appLogFiguresQuery>, now: number): LogWanted {
  const { days = usualDays } = query;
  const timeZone = readZone(query.zone);
  const lastDay = query.to ?? dateOf(now, timeZone);
  const firstDay = query.from ?? addDays(lastDay, 1 - days);
  if (firstDay > lastDay) throw invalid('log.bad_range', 'The first day must not be after the last one.', 'from');
  const known = (value: string | undefined) => (value === undefined ? null : value === 'unknown' ? '' : value);
  return {
    firstDay,
    lastDay,
    timeZone,
    from: startOfDay(firstDay, timeZone),
    to: endOfDay(lastDay, timeZone),
    attachmentId: query.file ?? null,
    recipient: known(query.person?.trim().toLowerCase()),
    messageId: query.message ?? null,
    linkId: query.link ?? null,
    countryCode: known(query.country),
    platform: known(query.device),
  };
}

function figuresBody(wanted: LogWanted, figures: LogFigures, hasLocations: boolean): AppLogFiguresBody {
  return {
    from: wanted.firstDay,
    to: wanted.lastDay,
    downloads: figures.downloads,
    bytes: figures.bytes,
    bytes_human: humanSize(figures.bytes),
    people: figures.people,
    countries: figures.countries,
    without_location: figures.withoutLocation,
    has_locations: hasLocations,
    per_day: figures.perDay.map(({ day, downloads, bytes }) => ({ date: dateOfDay(day), downloads, bytes })),
    per_country: figures.perCountry.map((country) => ({
      country_code: country.code,
      country_name: country.name,
      downloads: country.downloads,
      latitude: country.latitude,
      longitude: country.longitude,
    })),
    top_files: figures.topFiles.map((file) => ({
      attachment_id: file.attachmentId,
      filename: file.fileName,
      downloads: file.downloads,
      bytes: file.bytes,
    })),
    devices: figures.devices.map(({ device, downloads }) => ({
      device: device === '' ? 'unknown' : device,
      downloads,
    })),
  };
}
