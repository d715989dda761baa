// The download log of everybody, for administrators and auditors.
import type { DownloadFiguresBody, LoggedDownloadBody } from '#contract/admin/downloads.ts';
import {
  type DownloadWishes,
  type EverybodysFigures,
  getEverybodysFigures,
  listEverybodysLog,
  type NamedDownload,
  readEverybodysLog,
} from '../../../actions/downloads/everybodys.ts';
import type { DownloadPlace } from '../../../domain/download-lists.ts';
import { invalid } from '../../../domain/problem.ts';
import { csvLine } from '../../../lib/csv.ts';
import { readCursor, writeCursor } from '../../../lib/cursor.ts';
import { isoInstant } from '../../../lib/dates.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sendChunks } from '../../transport/answers.ts';

const usualSize = 50;

export function serveDownloadLog(serve: Serve): void {
  serve('listDownloadLog', async ({ ctx, caller, query }) => {
    const page = { before: placeOf(query.after), size: query.size ?? usualSize };
    const { downloads, next } = await listEverybodysLog(ctx, caller, wishesOf(query), page);
    return {
      downloads: downloads.map(downloadBody),
      next: next === null ? null : writeCursor([next.grantedAt, next.ownerId, next.number]),
    };
  });

  serve('getDownloadFigures', async ({ ctx, caller, query }) => ({
    figures: figuresBody(await getEverybodysFigures(ctx, caller, wishesOf(query))),
  }));

  serve('exportDownloadLog', async ({ ctx, caller, query, response, requestId }) => {
    const headers = {
      'content-disposition': 'attachment; filename="downloads.csv"',
      'content-type': 'text/csv; charset=utf-8; header=present',
    };
    await sendChunks({ response, requestId, headers }, csvOf(readEverybodysLog(ctx, caller, wishesOf(query))));
    return alreadySent;
  });
}

function wishesOf(query: { [Name in keyof DownloadWishes]?: DownloadWishes[Name] }): DownloadWishes {
  const { person, recipient, object, country, from, to, days } = query;
  return { person, recipient, object, country, from, to, days };
}

function placeOf(after: string | undefined): DownloadPlace | null {
  if (after === undefined || after === '') return null;
  const values = readCursor(after, ['number', 'string', 'number']);
  if (values === null)
    throw invalid('list.bad_place', 'The list can’t go on from here. Start again from its first page.', 'after');
  const [grantedAt, ownerId, number] = values as [number, string, number];
  return { grantedAt, ownerId, number };
}

const outcomes = {
  granted: 'running',
  complete: 'complete',
  partial: 'partial',
  cut: 'partial',
  refunded: 'partial',
} as const;

function downloadBody(line: NamedDownload): LoggedDownloadBody {
  return {
    id: `${line.ownerId}.${line.number}`,
    at: isoInstant(line.grantedAt),
    owner: line.owner,
    recipient: line.recipient,
    object_kind: line.object.kind,
    object_id: line.object.reference,
    attachment_id: line.attachmentId,
    outcome: outcomes[line.outcome],
    bytes: line.sentBytes,
    remote_ip: line.remoteIp,
    country_code: line.countryCode,
    country_name: line.countryName,
    city: line.city,
    browser: line.browser,
    os: line.os,
  };
}

function figuresBody(figures: EverybodysFigures): DownloadFiguresBody {
  return {
    from: figures.firstDay,
    to: figures.lastDay,
    downloads: figures.downloads,
    bytes: figures.bytes,
    recipients: figures.recipients,
    days: figures.days,
    countries: figures.countries.map(({ code, downloads }) => ({ country_code: code, downloads })),
    owners: figures.owners,
  };
}

const columns = [
  'at',
  'owner',
  'recipient',
  'object_kind',
  'object_id',
  'attachment_id',
  'outcome',
  'bytes',
  'remote_ip',
  'country_code',
  'city',
  'browser',
  'os',
] as const;

/** The names of the fields come with the first lines, so that a fault before them is still an answer. */
async function* csvOf(pages: AsyncGenerator<NamedDownload[]>): AsyncGenerator<string> {
  let head = csvLine([...columns]);
  for await (const page of pages) {
    yield head + page.map((line) => csvLine(cellsOf(downloadBody(line)))).join('');
    head = '';
  }
  if (head !== '') yield head;
}

function cellsOf(download: LoggedDownloadBody): (string | number)[] {
  return columns.map((column) => (column === 'owner' ? download.owner.email || download.owner.id : download[column]));
}
