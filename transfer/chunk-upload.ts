import { type ChunkSize, recordChunk } from './chunk-size.ts';
import type { Concurrency } from './concurrency.ts';
import { type Answer, type ExchangePorts, exchange, Interrupted } from './exchange.ts';
import type { FileSource, WireRequest } from './ports.ts';
import type { SingleRequestPorts } from './single-request.ts';
import type { FailureReason, Halt, ServerRefusal } from './states.ts';
import { chunkRange, type Upload } from './upload.ts';
import { chunkUrl, readChunkAnswer, readHint, readReceived, refusalOf } from './wire.ts';

export interface Route {
  uploadUrl: string;
  stateUrl: string;
  headers: Record<string, string>;
  /** `upload_id` of the first chunk; null omits it. */
  firstUploadId: string | null;
}

export interface Progress {
  onState(state: 'checking' | 'sending' | 'finishing' | 'retrying'): void;
  onBytes(sentBytes: number): void;
  onUpload(upload: Upload): void;
}

export type Outcome =
  | { is: 'ready'; attachmentId: string }
  | { is: 'not-allowed' | 'failed'; sentence: string | null; reason: FailureReason; refusal?: ServerRefusal }
  | { is: 'halted'; halt: Halt; sentence: string | null };

export interface SendingPorts extends ExchangePorts, SingleRequestPorts {
  crc32(before: number, bytes: Uint8Array): number;
  streamedChunkBytes: number;
}

export interface UploadContext {
  ports: SendingPorts;
  route: Route;
  chunkSize: ChunkSize;
  concurrency: Concurrency;
  source: FileSource;
  signal: AbortSignal;
  /** Running requests end; no other starts. */
  isPausing: () => boolean;
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

export type End = Outcome | { is: 'differs' } | { is: 'incomplete' } | { is: 'too-slow' } | Lost | TooLarge;

export const smallestChunkBytes = 64 * 1024;

export const unreadable = { is: 'failed', sentence: null, reason: 'unreadable' } as const;

/** Null when the file cannot be read or has become shorter. */
export async function readChunk(
  context: UploadContext,
  upload: Upload,
  number: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { start, end } = chunkRange(upload, number, context.source.sizeBytes);
  const bytes = await context.source.read(start, end).catch(() => null);
  if (context.signal.aborted) throw new Interrupted();
  return bytes === null || bytes.length !== end - start ? null : bytes;
}

export async function postChunk(
  context: UploadContext,
  upload: Upload,
  { number, bytes }: { number: number; bytes: Uint8Array<ArrayBuffer> | null },
  onBytes: (sentBytes: number) => void,
): Promise<Answer> {
  const { source, route } = context;
  const chunk = upload.chunkCount === 1 ? null : { number, of: upload.chunkCount };
  const url = chunkUrl(route.uploadUrl, source.name, chunk, upload.uploadId ?? (chunk && route.firstUploadId));
  const headers = { ...route.headers, 'content-type': source.contentType || 'application/octet-stream' };
  const { start, end } = chunkRange(upload, number, source.sizeBytes);
  const startedAt = context.ports.clock.now();
  const answer = await sendRequest(context, { method: 'POST', url, headers, body: bytes }, (sent) =>
    onBytes(Math.min(sent, end - start)),
  );
  if (answer.verdict.is === 'accepted') {
    applyHint(context.chunkSize, readHint(answer.response));
    recordChunk(context.chunkSize, end - start, context.ports.clock.now() - startedAt);
  }
  return answer;
}

export function sendRequest(
  context: UploadContext,
  request: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>,
  onProgress: (sentBytes: number) => void,
): Promise<Answer> {
  const restingState = request.method === 'GET' ? 'checking' : 'sending';
  return exchange(context.ports, {
    request,
    signal: context.signal,
    isPausing: context.isPausing,
    onProgress,
    onRetrying: (isRetrying) => context.progress.onState(isRetrying ? 'retrying' : restingState),
    isOurs: (response) =>
      request.method === 'GET' ? readReceived(response) !== null : readChunkAnswer(response) !== null,
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
      // Without an upload, the upload URL itself does not exist.
      return hasUpload
        ? { is: 'lost', sentence: verdict.sentence, refusal }
        : { is: 'failed', sentence: verdict.sentence, reason: 'refused', refusal };
    case 'refused':
      return { is: 'not-allowed', sentence: verdict.sentence, reason: 'refused', refusal };
    case 'unexpected':
      return { is: 'failed', sentence: verdict.sentence, reason: 'refused', refusal };
    case 'accepted':
      throw new Error('an accepted response does not end an attempt');
  }
}

function applyHint(chunkSize: ChunkSize, hintBytes: number | null): void {
  if (hintBytes !== null && !chunkSize.isReduced) chunkSize.bytes = Math.max(smallestChunkBytes, hintBytes);
}
