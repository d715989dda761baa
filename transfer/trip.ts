// What is on the way with one file, and the requests all ways of sending it have in common.
import { type Answer, type ExchangePorts, exchange, Interrupted } from './exchange.ts';
import { type Journey, pieceRange } from './journey.ts';
import type { FileSource, WireRequest } from './ports.ts';
import type { FailureReason, Halt, ServerRefusal } from './states.ts';
import type { WholePorts } from './whole.ts';
import type { Width } from './width.ts';
import { pieceUrl, readHint, readPieceAnswer, readReceived, refusalOf } from './wire.ts';

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
  /** Of pieces that are read from the file while they are sent. */
  streamedPieceBytes: number;
}

export interface Trip {
  ports: SendingPorts;
  route: Route;
  pieceSize: PieceSize;
  width: Width;
  source: FileSource;
  signal: AbortSignal;
  progress: Progress;
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

/** How one attempt at a file ended. */
export type End = Outcome | { is: 'differs' } | { is: 'incomplete' } | Lost | TooLarge;

/** Pieces are not made smaller than this. */
export const smallestPieceBytes = 64 * 1024;

export const unreadable = { is: 'failed', sentence: null, reason: 'unreadable' } as const;

/** Null when the file can no longer be read as it was. */
export async function readPiece(trip: Trip, journey: Journey, number: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const { start, end } = pieceRange(journey, number, trip.source.sizeBytes);
  const bytes = await trip.source.read(start, end).catch(() => null);
  if (trip.signal.aborted) throw new Interrupted();
  return bytes === null || bytes.length !== end - start ? null : bytes;
}

/** Without `bytes` the port that sends knows where the body comes from. */
export async function postPiece(
  trip: Trip,
  journey: Journey,
  { number, bytes }: { number: number; bytes: Uint8Array<ArrayBuffer> | null },
  onBytes: (sentBytes: number) => void,
): Promise<Answer> {
  const { source, route } = trip;
  const piece = journey.pieceCount === 1 ? null : { number, of: journey.pieceCount };
  const url = pieceUrl(route.uploadUrl, source.name, piece, journey.uploadId ?? (piece && route.firstUploadId));
  const headers = { ...route.headers, 'content-type': source.contentType || 'application/octet-stream' };
  const { start, end } = pieceRange(journey, number, source.sizeBytes);
  const answer = await ask(trip, { method: 'POST', url, headers, body: bytes }, (sent) =>
    onBytes(Math.min(sent, end - start)),
  );
  if (answer.verdict.is === 'taken') learn(trip.pieceSize, readHint(answer.response));
  return answer;
}

export function ask(
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

export function endOf({ verdict, response }: Answer, hasUpload: boolean): End {
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

function learn(pieceSize: PieceSize, hintBytes: number | null): void {
  if (hintBytes !== null && !pieceSize.isReduced) pieceSize.bytes = Math.max(smallestPieceBytes, hintBytes);
}
