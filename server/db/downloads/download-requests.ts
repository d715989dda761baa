// Requests for bytes, one row each, numbered within their download.
import { sql } from 'kysely';
import type { DownloadRequest, RequestOutcome } from '../../domain/downloads.ts';
import { type Param, prepared } from '../engine/prepared.ts';
import type { Builder, DownloadRequestsTable, Query, Tx } from '../schema/schema.ts';
import { camelRow, defineTable } from '../table.ts';

export const downloadRequests = defineTable<DownloadRequestsTable>()(({ plain, as }) => ({
  ...plain('owner_id', 'number', 'request', 'files', 'started_at', 'ended_at', 'outcome', 'range_start', 'range_end'),
  ...plain('taken_bytes', 'at_most_bytes', 'progress_at', 'served_by', 'api_key_id', 'proof_kind', 'proof_id'),
  ip: as('remote_ip'),
  agent: as('user_agent'),
}));

type NewRequest = Omit<
  DownloadRequest,
  'request' | 'endedAt' | 'outcome' | 'takenBytes' | 'atMostBytes' | 'progressAt'
>;

const insert = prepared((tx: Builder, param: Param<Omit<DownloadRequestsTable, 'request'>>) =>
  tx
    .insertInto('download_requests')
    .values({
      owner_id: param('owner_id'),
      number: param('number'),
      request: sql<number>`(select coalesce(max(request), 0) + 1 from download_requests
        where owner_id = ${param('owner_id')} and number = ${param('number')})`,
      files: param('files'),
      started_at: param('started_at'),
      ended_at: param('ended_at'),
      outcome: param('outcome'),
      range_start: param('range_start'),
      range_end: param('range_end'),
      taken_bytes: param('taken_bytes'),
      at_most_bytes: param('at_most_bytes'),
      progress_at: param('progress_at'),
      served_by: param('served_by'),
      remote_ip: param('remote_ip'),
      user_agent: param('user_agent'),
      api_key_id: param('api_key_id'),
      proof_kind: param('proof_kind'),
      proof_id: param('proof_id'),
    })
    .returning('request'),
);

/** Returns its number; the caller has locked the download's ticket. */
export async function insertRequest(tx: Tx, request: NewRequest): Promise<number> {
  const began = { request: 0, endedAt: null, outcome: 'running', takenBytes: 0 } as const;
  const { request: _, ...row } = downloadRequests.write({ ...request, ...began, atMostBytes: null, progressAt: null });
  const [inserted] = await insert(tx, row);
  return Number(inserted!.request);
}

/** Which request. */
export type RequestKey = Pick<DownloadRequest, 'ownerId' | 'number' | 'request'>;

interface RequestProgress {
  takenBytes: number;
  atMostBytes: number | null;
  outcome: RequestOutcome;
  now: number;
}

interface ProgressParams extends Pick<DownloadRequestsTable, 'owner_id' | 'number' | 'request' | 'taken_bytes'> {
  at_most_bytes: number | null;
  outcome: RequestOutcome;
  ended_at: number | null;
  now: number;
}

const note = prepared((tx: Builder, param: Param<ProgressParams>) =>
  tx
    .updateTable('download_requests')
    .set({
      taken_bytes: param('taken_bytes'),
      at_most_bytes: param('at_most_bytes'),
      outcome: param('outcome'),
      ended_at: param('ended_at'),
      // A stalled request makes no progress.
      progress_at: sql<number>`case when taken_bytes = ${param('taken_bytes')} then progress_at
        else ${param('now')} end`,
    })
    .where('owner_id', '=', param('owner_id'))
    .where('number', '=', param('number'))
    .where('request', '=', param('request'))
    .returning(
      sql<number>`(select coalesce(sum(other.taken_bytes), 0) from download_requests as other
        where other.owner_id = ${param('owner_id')} and other.number = ${param('number')}
          and other.request <> ${param('request')})`.as('others'),
    ),
);

/** Records how much a request has handed to the network, and its end. Returns the sum over all requests of the download. */
export async function noteRequest(tx: Tx, key: RequestKey, progress: RequestProgress): Promise<{ totalBytes: number }> {
  const { takenBytes, atMostBytes, outcome, now } = progress;
  const [row] = await note(tx, {
    owner_id: key.ownerId,
    number: key.number,
    request: key.request,
    taken_bytes: takenBytes,
    at_most_bytes: atMostBytes,
    outcome,
    ended_at: outcome === 'running' ? null : now,
    now,
  });
  return { totalBytes: takenBytes + Number(row?.others ?? 0) };
}

type TakenParams = Pick<DownloadRequestsTable, 'owner_id' | 'number' | 'request' | 'taken_bytes'> & { now: number };

const noteBytes = prepared((tx: Builder, param: Param<TakenParams>) =>
  tx
    .updateTable('download_requests')
    .set({ taken_bytes: param('taken_bytes'), progress_at: param('now') })
    .where('owner_id', '=', param('owner_id'))
    .where('number', '=', param('number'))
    .where('request', '=', param('request')),
);

/** Of a running request; as cheap as possible, because fast downloads record hundreds of times a second. */
export async function noteTaken(tx: Tx, key: RequestKey, takenBytes: number, now: number): Promise<void> {
  const { ownerId, number, request } = key;
  await noteBytes(tx, { owner_id: ownerId, number, request, taken_bytes: takenBytes, now });
}

/** Requests that a process was serving. */
export async function listRunningRequests(db: Query, servedBy: string, limit: number): Promise<DownloadRequest[]> {
  const rows = await db
    .selectFrom('download_requests')
    .selectAll()
    .where('outcome', '=', 'running')
    .where('served_by', '=', servedBy)
    .orderBy('started_at')
    .limit(limit)
    .execute();
  return downloadRequests.readAll(rows);
}

/** Ends a request of a dead process; null if it has ended. What was granted may have been handed to the network. */
export async function endCrashedRequest(
  tx: Tx,
  { ownerId, number, request, servedBy }: RequestKey & Pick<DownloadRequest, 'servedBy'>,
  now: number,
): Promise<{ takenBytes: number; totalBytes: number } | null> {
  const row = await tx
    .updateTable('download_requests')
    .set((eb) => ({
      outcome: 'crashed' as const,
      ended_at: now,
      at_most_bytes: eb('range_end', '-', eb.ref('range_start')),
    }))
    .where('owner_id', '=', ownerId)
    .where('number', '=', number)
    .where('request', '=', request)
    .where('outcome', '=', 'running')
    .where('served_by', '=', servedBy)
    .returning('taken_bytes')
    .executeTakeFirst();
  if (row === undefined) return null;
  const { total } = await tx
    .selectFrom('download_requests')
    .select((eb) => eb.fn.sum<number>('taken_bytes').as('total'))
    .where('owner_id', '=', ownerId)
    .where('number', '=', number)
    .executeTakeFirstOrThrow();
  return { takenBytes: row.taken_bytes, totalBytes: Number(total) };
}

/** The process of a request of this download that is running; null if none is. */
export async function findServingProcess(
  db: Query,
  { ownerId, number }: Pick<RequestKey, 'ownerId' | 'number'>,
): Promise<string | null> {
  const row = await db
    .selectFrom('download_requests')
    .select('served_by')
    .where('owner_id', '=', ownerId)
    .where('number', '=', number)
    .where('outcome', '=', 'running')
    .limit(1)
    .executeTakeFirst();
  return row?.served_by ?? null;
}

/** The line of one file of a download. */
export interface DownloadLine {
  number: number;
  attachmentId: string;
  messageId: string | null;
  linkId: string | null;
  recipient: string;
  kind: 'visitor' | 'owner';
  grantedAt: number;
  bodyStart: number;
  sizeBytes: number;
}

/** Those of the download that a request belongs to. */
export async function listLinesOf(
  db: Query,
  { ownerId, number, files }: Pick<DownloadRequest, 'ownerId' | 'number' | 'files'>,
): Promise<DownloadLine[]> {
  const rows = await db
    .selectFrom('downloads')
    .innerJoin('attachments', 'attachments.id', 'downloads.attachment_id')
    .select(['number', 'attachment_id', 'message_id', 'link_id', 'recipient', 'kind', 'granted_at', 'body_start'])
    .select('attachments.size_bytes')
    .where('downloads.owner_id', '=', ownerId)
    .where('number', '>=', number)
    .where('number', '<', number + files)
    .orderBy('number')
    .execute();
  return rows.map(camelRow);
}

const ofDownload = prepared((db: Builder, param: Param<{ ownerId: string; number: number }>) =>
  db
    .selectFrom('download_requests')
    .selectAll()
    .where('owner_id', '=', param('ownerId'))
    .where('number', '=', param('number'))
    .orderBy('request'),
);

/** In their order; `number` of the first line. */
export async function listRequestsOf(
  db: Query,
  { ownerId, number }: Pick<RequestKey, 'ownerId' | 'number'>,
): Promise<DownloadRequest[]> {
  return downloadRequests.readAll(await ofDownload(db, { ownerId, number }));
}
