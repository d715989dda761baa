// Requests for bytes as receipts and statements list them: by file, with the bytes that each handed to the network.
import { isoInstant } from '../lib/dates.ts';
import { coveredBy, type Interval, unionOf } from '../lib/intervals.ts';
import type { DownloadRequest } from './downloads.ts';

/** Per file of a download in a document. */
export const maxListedRequests = 100;

/** A request, and its bytes of one file. */
export interface ListedRequest
  extends Pick<
    DownloadRequest,
    'request' | 'ip' | 'apiKeyId' | 'proofKind' | 'proofId' | 'rangeStart' | 'rangeEnd' | 'takenBytes' | 'startedAt'
  > {
  endedAt: number | null;
  outcome: DownloadRequest['outcome'];
  /** The part of the file. */
  sent: Interval;
  bytes: number;
  /** Of the file, where `bytes` is not certain to be all; else null. */
  atMostBytes: number | null;
}

/** Bytes of one file over several requests. */
export interface RequestedBytes {
  /** Distinct bytes handed to the network. */
  bytes: number;
  /** Where `bytes` is not certain to be all, as after a crash; else null. */
  atMostBytes: number | null;
  /** All bytes handed to the network, repeated ones too. */
  totalBytes: number;
  requests: ListedRequest[];
  /** Further ones, whose bytes are included. */
  moreRequests: number;
}

export type FilePlace = { bodyStart: number; sizeBytes: number };

/** What these requests handed over of the file at this place of the body; those that did not reach it are left out. */
export function requestedOf(
  { bodyStart, sizeBytes }: FilePlace,
  requests: readonly DownloadRequest[],
  mostListed = maxListedRequests,
): RequestedBytes {
  const place = { start: bodyStart, end: bodyStart + sizeBytes };
  const reaching = requests.filter((each) => reaches(each, place));
  const sent = unionOf(reaching.map(sentBy));
  const bytes = coveredBy(sent, place);
  const atMost = coveredBy(unionOf(reaching.map(possiblySentBy)), place);
  const listed = reaching.map((each): ListedRequest => {
    const own = coveredBy([sentBy(each)], place);
    const possible = coveredBy([possiblySentBy(each)], place);
    return { ...each, sent: within(sentBy(each), place), bytes: own, atMostBytes: possible > own ? possible : null };
  });
  const totalBytes = sum(listed.map((each) => each.bytes));
  return {
    bytes,
    atMostBytes: atMost > bytes ? atMost : null,
    totalBytes,
    requests: listed.slice(0, mostListed),
    moreRequests: Math.max(0, listed.length - mostListed),
  };
}

/** Bytes of one file that at least one of these requests handed over. */
export function distinctBytes(requests: readonly Pick<ListedRequest, 'sent'>[]): number {
  return sum(unionOf(requests.map(({ sent }) => sent)).map(({ start, end }) => end - start));
}

function within({ start, end }: Interval, place: Interval): Interval {
  return { start: Math.max(start, place.start) - place.start, end: Math.min(end, place.end) - place.start };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function reaches({ rangeStart, rangeEnd }: DownloadRequest, { start, end }: Interval): boolean {
  return start === end ? rangeStart <= start && start <= rangeEnd : rangeStart < end && start < rangeEnd;
}

function sentBy({ rangeStart, takenBytes }: DownloadRequest): Interval {
  return { start: rangeStart, end: rangeStart + takenBytes };
}

/** A running request is listed with what was recorded so far. */
function possiblySentBy({ rangeStart, takenBytes, atMostBytes }: DownloadRequest): Interval {
  return { start: rangeStart, end: rangeStart + Math.max(takenBytes, atMostBytes ?? 0) };
}

/** Instants in ISO 8601. */
export function listedRequests({ requests, moreRequests }: RequestedBytes) {
  const shown = requests.slice(0, maxListedRequests);
  return { requests: shown.map(requestLine), more_requests: moreRequests + requests.length - shown.length };
}

function requestLine(one: ListedRequest) {
  return {
    request: one.request,
    ip: one.ip,
    api_key: one.apiKeyId,
    proof_kind: one.proofKind,
    proof_id: one.proofId,
    from: one.rangeStart,
    to: one.rangeEnd,
    taken: one.takenBytes,
    bytes: one.bytes,
    at_most: one.atMostBytes,
    at: isoInstant(one.startedAt),
    ended_at: one.endedAt === null ? null : isoInstant(one.endedAt),
    outcome: one.outcome,
  };
}

export type RequestLine = ReturnType<typeof requestLine>;
