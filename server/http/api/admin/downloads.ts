import { loggedDownload } from '#contract/admin/downloads.ts';
import { encoderOf } from '#contract/codec.ts';
import {
  getAdminStatistics,
  listAdminLog,
  type NamedDownload,
  readAdminLog,
} from '../../../actions/downloads/admin-downloads.ts';
import { readPageMarker } from '../../../actions/listing.ts';
import type { DownloadPlace } from '../../../domain/download-lists.ts';
import { writeCursor } from '../../../lib/cursor.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sendCsv } from '../../transport/exports.ts';

const encode = encoderOf(loggedDownload);

export function serveDownloadLog(serve: Serve): void {
  serve('listDownloadLog', async ({ ctx, caller, query: { after, size, ...filter } }) => {
    const { downloads, next } = await listAdminLog(ctx, caller, filter, { before: placeOf(after), size });
    return { downloads, next: next === null ? null : writeCursor([next.grantedAt, next.ownerId, next.number]) };
  });

  serve('getDownloadFigures', async ({ ctx, caller, query }) => ({
    figures: await getAdminStatistics(ctx, caller, query),
  }));

  serve('exportDownloadLog', async ({ ctx, caller, query, response, requestId }) => {
    await sendCsv({ response, requestId }, 'downloads', readAdminLog(ctx, caller, query), { columns, cells });
    return alreadySent;
  });
}

function placeOf(after: string): DownloadPlace | null {
  const values = readPageMarker(after, ['number', 'string', 'number']);
  if (values === null) return null;
  const [grantedAt, ownerId, number] = values as [number, string, number];
  return { grantedAt, ownerId, number };
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

function cells(download: NamedDownload): (string | number)[] {
  const shown = encode(download);
  return columns.map((column) => (column === 'owner' ? shown.owner.email || shown.owner.id : shown[column]));
}
