// The way of one file: its pieces in order, the comparison at the end, and starting over where that helps. Ends with an
// outcome, or by being interrupted with the journey kept.
import { crc32Text } from './crc32.ts';
import { type Answer, type ExchangePorts, exchange, Interrupted } from './exchange.ts';
import { beginJourney, confirmJourney, type Journey, pieceRange } from './journey.ts';
import type { FileSource, WireRequest } from './ports.ts';
import type { FailureReason, Halt, ServerRefusal } from './states.ts';
import { sendWhole, type WholePorts } from './whole.ts';
import type { Width } from './width.ts';
import {
  pieceUrl,
  readHint,
  readPieceAnswer,
  readReceived,
  refusalOf,
  stateUrlOf,
  type WireAttachment,
} from './wire.ts';

export interface Route {
  uploadUrl: string;
  stateUrl: string;
  headers: Record<string, string>;
  /** Sent as `upload_id` with a first piece; `new` asks for an upload of its own, null leaves it out. */
  firstUploadId: string | null;
}

/** Shared by all files of one engine: what was learned about sizes holds for the rest of the session. */
export interface PieceSize {
  bytes: number;
  /** Something in between refused larger pieces; the server's hint no longer counts. */
  isReduced: boolean;
}

export interface Progress {
  onState(state: 'checking' | 'sending' | 'finishing' | 'retrying'): void;
  onBytes(sentBytes: number): void;
  onJourney(journey: Journey): void;
}

export type Outcome =
  | { is: 'ready'; attachmentId: string }
  | { is: 'not-allowed' | 'failed'; sentence: string | null; reason: FailureReason; refusal?: ServerRefusal }
  | { is: 'halted'; halt: Halt; sentence: string | null };

export interface SendingPorts extends ExchangePorts, WholePorts {
  /** Continues a checksum over further bytes. */
  crc32(before: number, bytes: Uint8Array): number;
}

interface Trip {
  ports: SendingPorts;
  route: Route;
  pieceSize: PieceSize;
  width: Width;
  source: FileSource;
  signal: AbortSignal;
  progress: Progress;
}

/** Pieces are not made smaller than this. */
const smallestPieceBytes = 64 * 1024;
/** Lost uploads and differing files are tried so often in all. */
const maxStartOvers = 3;

/** Throws `Interrupted`; the journey of the last `onJourney` is then where to resume. */
export async function sendFile(trip: Trip, resumed: Journey | null): Promise<Outcome> {
  let journey = resumed ?? beginJourney(trip.source.sizeBytes, trip.pieceSize.bytes);
  if (resumed === null && journey.pieceCount > 1) {
    const end = await travelWhole(trip);
    if (end !== null) return end;
  }
  let differences = 0;
  for (let startOvers = 0; ; ) {
    trip.progress.onJourney(journey);
    const end = await travel(trip, journey);
    if (end.is === 'differs') {
      differences += 1;
      if (differences > 1) return { is: 'failed', sentence: null, reason: 'differs' };
    } else if (end.is === 'lost') {
      startOvers += 1;
      if (startOvers > maxStartOvers) return { ...end, is: 'failed', reason: 'refused' };
    } else if (end.is === 'incomplete') {
      startOvers += 1;
      if (startOvers > maxStartOvers) return { is: 'failed', sentence: null, reason: 'refused' };
      journey = { ...journey, nextPiece: 0, crc: 0, isUnconfirmed: true };
      continue;
    } else if (end.is === 'too-large') {
      if (!shrink(trip, journey)) return { ...end, is: 'not-allowed', reason: 'refused' };
    } else {
      return end;
    }
    journey = beginJourney(trip.source.sizeBytes, trip.pieceSize.bytes);
    trip.progress.onBytes(0);
  }
}

interface Lost {
  is: 'lost';
  sentence: string | null;
  refusal: ServerRefusal;
}

interface TooLarge {
  is: 'too-large';
  sentence: string | null;
  refusal: ServerRefusal;
}

type End = Outcome | { is: 'differs' } | { is: 'incomplete' } | Lost | TooLarge;

/** In one request. Null: in pieces. */
async function travelWhole(trip: Trip): Promise<Outcome | null> {
  const { source, route, ports, progress, signal } = trip;
  if (ports.stream === undefined || source.stream === undefined) return null;
  progress.onState('sending');
  let crc = 0;
  async function* portions() {
    for await (const bytes of source.stream?.() ?? []) {
      crc = ports.crc32(crc, bytes);
      yield bytes;
    }
  }
  const answer = await sendWhole(ports, {
    method: 'POST',
    url: pieceUrl(route.uploadUrl, source.name, null, null),
    headers: { ...route.headers, 'content-type': source.contentType || 'application/octet-stream' },
    body: { sizeBytes: source.sizeBytes, portions: portions() },
    signal,
    onProgress: (sentBytes) => progress.onBytes(Math.min(sentBytes, source.sizeBytes)),
  });
  if (signal.aborted) throw new Interrupted();
  const end = answer === null ? null : endOfWhole(answer, crc, source);
  if (end === null) progress.onBytes(0);
  return end;
}

function endOfWhole(answer: Answer, crc: number, source: FileSource): Outcome | null {
  if (answer.verdict.is === 'taken') {
    const attachment = readPieceAnswer(answer.response)?.attachment;
    return attachment && isRight(attachment, { crc }, source) ? { is: 'ready', attachmentId: attachment.id } : null;
  }
  const end = endOf(answer, false);
  return end.is === 'halted' || end.is === 'failed' || end.is === 'not-allowed' ? end : null;
}

async function travel(trip: Trip, journey: Journey): Promise<End> {
  trip.progress.onState('checking');
  if (journey.isUnconfirmed) {
    const end = await confirm(trip, journey);
    if (end !== null) return end;
  }
  trip.progress.onState('sending');
  let attachment: WireAttachment | null = null;
  while (journey.nextPiece < journey.pieceCount) {
    if (journey.uploadId !== null && trip.width.now() > 1 && journey.nextPiece < journey.pieceCount - 2) {
      const end = await sendSideBySide(trip, journey);
      if (end !== null) return end;
    }
    const step = await sendPiece(trip, journey, attachment !== null);
    if (step.is !== 'sent') return step;
    attachment = step.attachment ?? attachment;
  }
  // The server waits for a piece it no longer has: it is asked which.
  if (attachment === null) return { is: 'incomplete' };
  trip.progress.onState('finishing');
  return isRight(attachment, journey, trip.source) ? { is: 'ready', attachmentId: attachment.id } : { is: 'differs' };
}

/** Asks which pieces have arrived. Null: continue. */
async function confirm(trip: Trip, journey: Journey): Promise<End | null> {
  const url = stateUrlOf(trip.route.stateUrl, journey.uploadId ?? '');
  const answer = await ask(trip, { method: 'GET', url, headers: trip.route.headers, body: null }, () => {});
  if (answer.verdict.is !== 'taken') {
    const end = endOf(answer, true);
    if (end.is !== 'not-allowed') return end;
    return { is: 'lost', sentence: end.sentence, refusal: refusalOf(answer.response) };
  }
  confirmJourney(journey, readReceived(answer.response) ?? []);
  trip.progress.onJourney(journey);
  return null;
}

/** Reads one piece and sends it unless the server has it; the last is always sent, for its answer. */
async function sendPiece(
  trip: Trip,
  journey: Journey,
  isComplete: boolean,
): Promise<End | { is: 'sent'; attachment: WireAttachment | null }> {
  const { progress } = trip;
  const number = journey.nextPiece;
  const bytes = await readPiece(trip, journey, number);
  if (bytes === null) return unreadable;
  const { start, end } = pieceRange(journey, number, trip.source.sizeBytes);
  const isLast = number === journey.pieceCount - 1;
  let attachment: WireAttachment | null = null;
  if (!isComplete && (isLast || !journey.arrived.has(number))) {
    const answer = await postPiece(trip, journey, { number, bytes }, (sent) => {
      progress.onBytes(start + sent);
      if (isLast && sent >= bytes.length) progress.onState('finishing');
    });
    if (answer.verdict.is !== 'taken') return endOf(answer, journey.uploadId !== null);
    const told = readPieceAnswer(answer.response);
    journey.uploadId ??= told?.uploadId ?? null;
    attachment = told?.attachment ?? null;
  }
  journey.crc = trip.ports.crc32(journey.crc, bytes);
  trip.source.release?.(bytes);
  journey.nextPiece = number + 1;
  progress.onBytes(end);
  progress.onJourney(journey);
  return { is: 'sent', attachment };
}

/**
 * Several pieces at once: all but the last, whose answer is the file and which is therefore sent when nothing else is
 * missing. Read in order, because the checksum is; `nextPiece` moves over those before which none is missing. Null: go
 * on with the last.
 */
async function sendSideBySide(trip: Trip, journey: Journey): Promise<End | null> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([trip.signal, stopping.signal]);
  const inner = { ...trip, signal };
  const running = new Set<Promise<void>>();
  const [sent, checksums] = [new Map<number, number>(), new Map<number, number>()];
  const ended: { end: End | null; error: unknown } = { end: null, error: null };
  const last = journey.pieceCount - 1;
  let [next, crc] = [journey.nextPiece, journey.crc];
  const report = () => trip.progress.onBytes(bytesBefore(journey, trip.source) + sumOf(sent));
  const arrive = (number: number) => {
    journey.arrived.add(number);
    advance(journey, checksums, sent);
    report();
    trip.progress.onJourney(journey);
  };
  const send = async (number: number, bytes: Uint8Array<ArrayBuffer>) => {
    sent.set(number, 0);
    const answer = await postPiece(inner, journey, { number, bytes }, (count) => {
      sent.set(number, count);
      report();
    });
    if (answer.verdict.is === 'taken') {
      trip.width.note(bytes.length, trip.ports.clock.now());
      trip.source.release?.(bytes);
      return arrive(number);
    }
    ended.end ??= endOf(answer, true);
    stopping.abort();
  };
  while (next < last && !stopping.signal.aborted) {
    while (running.size >= trip.width.now()) await Promise.race(running);
    if (stopping.signal.aborted) break;
    // Not `inner`: while it is read, another piece may be refused, and then that is how the file ends.
    const bytes = await readPiece(trip, journey, next);
    if (stopping.signal.aborted) break;
    if (bytes === null) {
      ended.end ??= unreadable;
      stopping.abort();
      break;
    }
    crc = trip.ports.crc32(crc, bytes);
    checksums.set(next, crc);
    if (journey.arrived.has(next)) arrive(next);
    else {
      const one = send(next, bytes)
        .catch((error: unknown) => {
          ended.error ??= error;
          stopping.abort();
        })
        .finally(() => running.delete(one));
      running.add(one);
    }
    next += 1;
  }
  await Promise.all(running);
  if (ended.end !== null) return ended.end;
  if (ended.error !== null) throw ended.error;
  return null;
}

/** Over the pieces whose checksum is known and before which none is missing. */
function advance(journey: Journey, checksums: Map<number, number>, sent: Map<number, number>): void {
  for (;;) {
    const crc = checksums.get(journey.nextPiece);
    if (crc === undefined || !journey.arrived.has(journey.nextPiece)) return;
    checksums.delete(journey.nextPiece);
    sent.delete(journey.nextPiece);
    journey.crc = crc;
    journey.nextPiece += 1;
  }
}

function bytesBefore(journey: Journey, source: FileSource): number {
  return Math.min(source.sizeBytes, journey.nextPiece * journey.pieceBytes);
}

function sumOf(counts: Map<number, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}

const unreadable = { is: 'failed', sentence: null, reason: 'unreadable' } as const;

/** Null when the file can no longer be read as it was. */
async function readPiece(trip: Trip, journey: Journey, number: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const { start, end } = pieceRange(journey, number, trip.source.sizeBytes);
  const bytes = await trip.source.read(start, end).catch(() => null);
  if (trip.signal.aborted) throw new Interrupted();
  return bytes === null || bytes.length !== end - start ? null : bytes;
}

async function postPiece(
  trip: Trip,
  journey: Journey,
  { number, bytes }: { number: number; bytes: Uint8Array<ArrayBuffer> },
  onBytes: (sentBytes: number) => void,
): Promise<Answer> {
  const { source, route } = trip;
  const piece = journey.pieceCount === 1 ? null : { number, of: journey.pieceCount };
  const url = pieceUrl(route.uploadUrl, source.name, piece, journey.uploadId ?? (piece && route.firstUploadId));
  const headers = { ...route.headers, 'content-type': source.contentType || 'application/octet-stream' };
  const answer = await ask(trip, { method: 'POST', url, headers, body: bytes }, (sent) =>
    onBytes(Math.min(sent, bytes.length)),
  );
  if (answer.verdict.is === 'taken') learn(trip.pieceSize, readHint(answer.response));
  return answer;
}

function ask(
  trip: Trip,
  request: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>,
  onProgress: (sentBytes: number) => void,
): Promise<Answer> {
  const restingState = request.method === 'GET' ? 'checking' : 'sending';
  return exchange(trip.ports, {
    request,
    signal: trip.signal,
    onProgress,
    onRetrying: (isRetrying) => trip.progress.onState(isRetrying ? 'retrying' : restingState),
    isOurs: (response) =>
      request.method === 'GET' ? readReceived(response) !== null : readPieceAnswer(response) !== null,
  });
}

function endOf({ verdict, response }: Answer, hasUpload: boolean): End {
  const refusal = refusalOf(response);
  switch (verdict.is) {
    case 'signed-out':
      return { is: 'halted', halt: 'signed-out', sentence: null };
    case 'full':
      return { is: 'halted', halt: 'full', sentence: verdict.sentence };
    case 'too-large':
      return { is: 'too-large', sentence: verdict.sentence, refusal };
    case 'gone':
      // Without an upload it is the address itself that leads nowhere.
      return hasUpload
        ? { is: 'lost', sentence: verdict.sentence, refusal }
        : { is: 'failed', sentence: verdict.sentence, reason: 'refused', refusal };
    case 'refused':
      return { is: 'not-allowed', sentence: verdict.sentence, reason: 'refused', refusal };
    case 'broken':
      return { is: 'failed', sentence: verdict.sentence, reason: 'refused', refusal };
    case 'taken':
      throw new Error('an answer that was taken ends nothing');
  }
}

/** Half the size from now on, for all files. False when that cannot help. */
function shrink({ pieceSize, source }: Trip, journey: Journey): boolean {
  const sent = Math.min(journey.pieceBytes, source.sizeBytes);
  // Another file may have found out already, while this piece was on its way.
  if (sent > pieceSize.bytes && pieceSize.isReduced) return true;
  const half = Math.floor(sent / 2);
  if (half < smallestPieceBytes || beginJourney(source.sizeBytes, half).pieceBytes >= sent) return false;
  pieceSize.bytes = Math.min(pieceSize.bytes, half);
  pieceSize.isReduced = true;
  return true;
}

function learn(pieceSize: PieceSize, hintBytes: number | null): void {
  if (hintBytes !== null && !pieceSize.isReduced) pieceSize.bytes = Math.max(smallestPieceBytes, hintBytes);
}

/** Compared where the server could tell; it leaves the checksum empty while it is still computing. */
function isRight(attachment: WireAttachment, { crc }: { crc: number }, source: FileSource): boolean {
  if (!Number.isNaN(attachment.size) && attachment.size !== source.sizeBytes) return false;
  return attachment.crc32 === '' || attachment.crc32.toLowerCase() === crc32Text(crc);
}
