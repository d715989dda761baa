// Whether a line of the download log, its requests and the recorded events say the same. Each function names the first
// field that differs, or returns null.
import { coveredBy, type Interval, joinInterval, maxIntervals } from '../lib/intervals.ts';
import type { DownloadRequest } from './downloads.ts';
import { erasedDomain } from './erasures.ts';
import type { LoggedEvent, Salts } from './evidence.ts';

export interface ComparedLine {
  ownerId: string;
  number: number;
  attachmentId: string;
  target: { kind: string; id: string };
  recipient: string;
  outcome: 'granted' | 'complete' | 'partial' | 'cut' | 'refunded';
  grantedAt: number;
  finishedAt: number | null;
  bytes: number;
  bodyStart: number;
  sizeBytes: number;
  ip: string;
  /** Of its whole download; none if an earlier version logged it. */
  requests: readonly DownloadRequest[];
}

interface RecordedDownload {
  event: LoggedEvent;
  salts: Pick<Salts, 'erased'>;
}

/** Rows are written slightly before their events, and wait for a busy database. */
export const toleranceMs = 60_000;

const isNear = (one: number, other: number) => Math.abs(one - other) <= toleranceMs;

/** Of `file.downloaded`. */
export function compareBegun(recorded: RecordedDownload, line: ComparedLine): string | null {
  const { event } = recorded;
  const field = compareShared(recorded, line);
  if (field !== null) return field;
  if (!isErased(recorded) && event.remoteIp !== line.ip) return 'ip';
  return isNear(event.at, line.grantedAt) ? null : 'at';
}

/** Of `download.ended`. */
export function compareEnded(recorded: RecordedDownload, line: ComparedLine): string | null {
  const { facts } = recorded.event;
  const field = compareShared(recorded, line);
  if (field !== null) return field;
  if (Number(facts.bytes) > line.bytes) return 'bytes';
  // Of a version that did not store requests.
  if (facts.request === undefined) return null;
  const request = line.requests.find((each) => each.request === facts.request);
  return request === undefined ? 'request' : compareRequest(recorded, request);
}

function compareRequest(recorded: RecordedDownload, request: DownloadRequest): string | null {
  const { event } = recorded;
  const { facts } = event;
  if (facts.from !== request.rangeStart) return 'from';
  if (facts.to !== request.rangeEnd) return 'to';
  // The end of an archive with many files is recorded in several transactions.
  if (request.outcome !== 'running') {
    if (facts.taken !== request.takenBytes) return 'taken';
    if ((facts.crashed === true) !== (request.outcome === 'crashed')) return 'outcome';
    if (request.endedAt === null || !isNear(event.at, request.endedAt)) return 'ended_at';
  }
  if (isErased(recorded)) return null;
  if (event.remoteIp !== request.ip) return 'ip';
  if ((facts.api_key ?? '') !== request.apiKeyId) return 'api_key';
  if ((facts.proof_kind ?? '') !== request.proofKind) return 'proof_kind';
  return (facts.proof_id ?? '') === request.proofId ? null : 'proof_id';
}

function compareShared({ event, salts }: RecordedDownload, line: ComparedLine): string | null {
  const { facts } = event;
  if (facts.attachment !== line.attachmentId) return 'attachment';
  if (event.objectKind !== line.target.kind || event.objectId !== line.target.id) return 'transfer';
  const isSame = Object.hasOwn(salts.erased, 'facts.recipient')
    ? line.recipient.endsWith(`@${erasedDomain}`)
    : facts.recipient === line.recipient;
  return isSame ? null : 'to';
}

/** An erasure of a person blanks more in rows than in events, or less. */
function isErased({ salts }: RecordedDownload): boolean {
  return Object.keys(salts.erased).length > 0;
}

/** The line against its requests, which are compared with their events one by one. */
export function compareLine(line: ComparedLine): string | null {
  const { requests, outcome, bytes, sizeBytes, finishedAt } = line;
  if (outcome === 'complete' && bytes < sizeBytes) return 'outcome';
  if (requests.length === 0) return null;
  const isRefunded = requests.every((each) => each.outcome === 'refunded');
  if (isRefunded !== (outcome === 'refunded')) return 'outcome';
  // The line of a refunded download has no end.
  if (isRefunded) return bytes === 0 ? null : 'bytes';
  if (requests.some((each) => each.outcome === 'running') || requests.length > maxIntervals) return null;
  if (requestedBytes(line) !== bytes) return 'bytes';
  if (outcome === 'granted' || finishedAt === null) return 'ended_at';
  const isWithin = requests.some(
    ({ startedAt, endedAt }) => finishedAt >= startedAt - toleranceMs && finishedAt <= endedAt! + toleranceMs,
  );
  return isWithin ? null : 'ended_at';
}

/** Distinct bytes of the file that its requests handed to the network. */
function requestedBytes({ requests, bodyStart, sizeBytes }: ComparedLine): number {
  const sent = requests.reduce<Interval[]>(
    (set, { rangeStart, takenBytes }) =>
      takenBytes === 0 ? set : joinInterval(set, { start: rangeStart, end: rangeStart + takenBytes }),
    [],
  );
  return coveredBy(sent, { start: bodyStart, end: bodyStart + sizeBytes });
}

/** The line that an event is about; the owner is blank once erased. */
export function lineOf<Line extends ComparedLine>(event: LoggedEvent, lines: readonly Line[]): Line | undefined {
  return lines.find(
    ({ number, ownerId, target }) =>
      number === event.facts.download &&
      target.id === event.objectId &&
      (ownerId === event.ownerId || event.ownerId === ''),
  );
}
