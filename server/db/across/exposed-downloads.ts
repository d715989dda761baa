// Downloads that a statement about exposure lists, with their requests. Decrypts checksums only.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { requestedOf } from '../../domain/download-requests.ts';
import type { DownloadRequest } from '../../domain/downloads.ts';
import type { DownloadRecord } from '../../domain/exposure.ts';
import type { Span } from '../../domain/spans.ts';
import { checksumColumns, openChecksums } from '../attachments/checksums.ts';
import { downloadLines } from '../downloads/download-lines.ts';
import { downloadRequests } from '../downloads/download-requests.ts';
import type { DownloadRequestsTable, Query } from '../schema/schema.ts';

/** Downloads of this owner's files or by these addresses, with this key, or from this network address. */
export type DepartureScope =
  | { ownerId: string; addresses: readonly string[] }
  | { addresses: readonly string[] }
  | { apiKeyId: string }
  | { ip: string };

/** Matches no recipient; unknown ones are stored as ''. */
const notAnAddress = '-';

/** Of a request, beside the columns of its line. */
const requestColumns = (Object.keys(downloadRequests.columns) as (keyof DownloadRequestsTable)[]).map((name) =>
  sql<unknown>`${sql.ref(`requests.${name}`)}`.as(`request_${name}`),
);

const lineColumns = [...downloadLines.select('downloads'), 'downloads.link_id', 'downloads.message_id'] as const;

const linesWithFile = (db: Query) =>
  db
    .selectFrom('downloads')
    .innerJoin('attachments', 'attachments.id', 'downloads.attachment_id')
    .select([...lineColumns, 'downloads.kind', 'downloads.body_start', 'attachments.size_bytes', ...checksumColumns])
    .where('downloads.outcome', '<>', 'refunded');

type LineRow = Awaited<ReturnType<ReturnType<typeof linesWithFile>['executeTakeFirstOrThrow']>>;

/** Whose lines, by the owner or the recipient; by key or network of each request. */
function isMeant(scope: DepartureScope, requests: 'downloads' | 'requests'): RawBuilder<SqlBool> {
  if ('apiKeyId' in scope) return sql`${sql.ref(`${requests}.api_key_id`)} = ${scope.apiKeyId}`;
  if ('ip' in scope) return sql`${sql.ref(`${requests}.remote_ip`)} = ${scope.ip}`;
  const addresses = scope.addresses.length === 0 ? [notAnAddress] : scope.addresses;
  const toThem = sql<SqlBool>`downloads.recipient in (${sql.join([...addresses])})`;
  return 'ownerId' in scope ? sql`(downloads.owner_id = ${scope.ownerId} or ${toThem})` : toThem;
}

/** Downloads with requests that ran within the span, in order of time; their bytes are those of these requests. */
export async function listDepartures(db: Query, scope: DepartureScope, span: Span): Promise<DownloadRecord[]> {
  const found = [...(await listRequested(db, scope, span)), ...(await listWithoutRequests(db, scope, span))];
  return found.toSorted(
    (one, other) =>
      one.at - other.at ||
      (one.ownerId === other.ownerId ? one.number - other.number : one.ownerId < other.ownerId ? -1 : 1),
  );
}

async function listRequested(db: Query, scope: DepartureScope, { from, to }: Span): Promise<DownloadRecord[]> {
  const rows = await linesWithFile(db)
    .innerJoin('download_requests as requests', (join) =>
      join
        .onRef('requests.owner_id', '=', 'downloads.owner_id')
        // The same twice: indexes lead from a line to its requests, and from a request to its lines.
        .on(sql<SqlBool>`requests.number = downloads.number - downloads.position
          and downloads.number >= requests.number and downloads.number < requests.number + requests.files`),
    )
    .select(requestColumns)
    .where('requests.started_at', '<', to)
    .where((eb) => eb.or([eb('requests.ended_at', 'is', null), eb('requests.ended_at', '>=', from)]))
    .where(isMeant(scope, 'requests'))
    .orderBy('requests.started_at')
    .orderBy('requests.request')
    .execute();
  const byLine = Map.groupBy(rows, (row) => `${row.owner_id} ${row.number}`);
  return [...byLine.values()].flatMap((lines) => {
    const [line] = lines as [(typeof lines)[number], ...typeof lines];
    const place = { bodyStart: line.body_start, sizeBytes: line.size_bytes };
    const requested = requestedOf(place, lines.map(requestOf), Number.POSITIVE_INFINITY);
    const [first] = requested.requests;
    if (first === undefined) return [];
    const ends = requested.requests.map(({ endedAt }) => endedAt);
    const endedAt = ends.includes(null) ? null : Math.max(...(ends as number[]));
    return [{ ...recordOf(db, line), ...requested, ip: first.ip, at: first.startedAt, endedAt }];
  });
}

function requestOf(row: Record<string, unknown>): DownloadRequest {
  const names = Object.keys(downloadRequests.columns);
  return downloadRequests.read(Object.fromEntries(names.map((name) => [name, row[`request_${name}`]])) as never);
}

/** Of versions that did not store requests. */
async function listWithoutRequests(db: Query, scope: DepartureScope, { from, to }: Span): Promise<DownloadRecord[]> {
  const rows = await linesWithFile(db)
    .where('granted_at', '<', to)
    .where((eb) => eb.or([eb('finished_at', 'is', null), eb('finished_at', '>=', from)]))
    .where(isMeant(scope, 'downloads'))
    .where(sql<SqlBool>`not exists (select 1 from download_requests as requests where requests.owner_id = downloads.owner_id
      and requests.number = downloads.number - downloads.position)`)
    .execute();
  return rows.map((row) => recordOf(db, row));
}

function recordOf(db: Query, row: LineRow): DownloadRecord {
  const line = downloadLines.read(row);
  return {
    ...line,
    kind: row.link_id === null ? 'message' : 'link',
    targetId: row.link_id ?? row.message_id ?? '',
    sha256: openChecksums(db.keys, row, row.attachment_id).sha256,
    sizeBytes: row.size_bytes,
    isByOwner: row.kind === 'owner',
    atMostBytes: null,
    totalBytes: line.bytes,
    requests: [],
    moreRequests: 0,
  };
}
