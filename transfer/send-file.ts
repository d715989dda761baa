import { chunkBytesNow, slownessOf } from './chunk-size.ts';
import {
  type End,
  endOf,
  type Outcome,
  sendRequest,
  smallestChunkBytes,
  type UploadContext,
  unreadable,
} from './chunk-upload.ts';
import { crc32Text } from './crc32.ts';
import { type Answer, Interrupted } from './exchange.ts';
import { anySignal } from './older-platforms.ts';
import { sendParallel } from './parallel.ts';
import type { FileSource } from './ports.ts';
import { sendSingleRequest } from './single-request.ts';
import { chunkBytesFor, isStreamed, transferChunk } from './streamed.ts';
import { chunkRange, confirmUpload, createUpload, type Upload } from './upload.ts';
import { chunkUrl, readChunkAnswer, readReceived, refusalOf, stateUrlOf, type WireAttachment } from './wire.ts';

const maxStartOvers = 3;

/** Throws `Interrupted`; resume with the last upload passed to `onUpload`. */
export async function sendFile(context: UploadContext, resumed: Upload | null): Promise<Outcome> {
  let upload = resumed ?? createUpload(context.source.sizeBytes, chunkBytesNow(context.chunkSize));
  if (resumed === null && upload.chunkCount > 1) {
    const { end, bytesPerSecond } = await trySingleRequest(context);
    if (end !== null) return end;
    upload = createUpload(context.source.sizeBytes, chunkBytesFor(context, bytesPerSecond));
  }
  let differences = 0;
  for (let startOvers = 0; ; ) {
    context.progress.onUpload(upload);
    const end = await uploadChunks(context, upload);
    if (end.is === 'differs') {
      differences += 1;
      if (differences > 1) return { is: 'failed', sentence: null, reason: 'differs' };
    } else if (end.is === 'lost') {
      startOvers += 1;
      if (startOvers > maxStartOvers) return { ...end, is: 'failed', reason: 'refused' };
    } else if (end.is === 'incomplete') {
      startOvers += 1;
      if (startOvers > maxStartOvers) return { is: 'failed', sentence: null, reason: 'refused' };
      upload = { ...upload, nextChunk: 0, crc: 0, isUnconfirmed: true };
      continue;
    } else if (end.is === 'too-large') {
      if (!shrink(context, upload)) return { ...end, is: 'not-allowed', reason: 'refused' };
    } else if (end.is !== 'too-slow') {
      return end;
    }
    upload = createUpload(context.source.sizeBytes, chunkBytesNow(context.chunkSize));
    context.progress.onBytes(0);
  }
}

interface SingleRequestResult {
  /** Null: send the file in chunks. */
  end: Outcome | null;
  /** 0 when unknown. */
  bytesPerSecond: number;
}

async function trySingleRequest(context: UploadContext): Promise<SingleRequestResult> {
  const { source, route, ports, progress, signal } = context;
  if (!ports.allowSingleRequest || source.stream === undefined) return { end: null, bytesPerSecond: 0 };
  progress.onState('sending');
  let crc = 0;
  async function* portions() {
    for await (const bytes of source.stream?.(0, source.sizeBytes) ?? []) {
      crc = ports.crc32(crc, bytes);
      yield bytes;
    }
  }
  const { answer, bytesPerSecond } = await sendSingleRequest(ports, {
    method: 'POST',
    url: chunkUrl(route.uploadUrl, source.name, null, null),
    headers: { ...route.headers, 'content-type': source.contentType || 'application/octet-stream' },
    body: { sizeBytes: source.sizeBytes, portions: portions() },
    signal,
    onProgress: (sentBytes) => progress.onBytes(Math.min(sentBytes, source.sizeBytes)),
  });
  if (signal.aborted) throw new Interrupted();
  const end = answer === null ? null : outcomeOfSingleRequest(answer, crc, source);
  if (end === null) progress.onBytes(0);
  return { end, bytesPerSecond };
}

function outcomeOfSingleRequest(answer: Answer, crc: number, source: FileSource): Outcome | null {
  if (answer.verdict.is === 'accepted') {
    const attachment = readChunkAnswer(answer.response)?.attachment;
    return attachment && isRight(attachment, { crc }, source) ? { is: 'ready', attachmentId: attachment.id } : null;
  }
  const end = endOf(answer, false);
  return end.is === 'halted' || end.is === 'failed' || end.is === 'not-allowed' ? end : null;
}

async function uploadChunks(context: UploadContext, upload: Upload): Promise<End> {
  context.progress.onState('checking');
  if (upload.isUnconfirmed) {
    const end = await confirm(context, upload);
    if (end !== null) return end;
  }
  context.progress.onState('sending');
  let attachment: WireAttachment | null = null;
  while (upload.nextChunk < upload.chunkCount) {
    if (context.isPausing()) throw new Interrupted();
    const isParallel = context.concurrency.current() > 1 && !isStreamed(context, upload);
    if (isParallel && upload.uploadId !== null && upload.nextChunk < upload.chunkCount - 2) {
      const end = await sendParallel(context, upload);
      if (end !== null) return end;
      if (context.isPausing()) throw new Interrupted();
    }
    const step = await sendChunk(context, upload, attachment !== null);
    if (step.is !== 'sent') return step;
    attachment = step.attachment ?? attachment;
  }
  // The next attempt asks which chunk is missing.
  if (attachment === null) return { is: 'incomplete' };
  context.progress.onState('finishing');
  return isRight(attachment, upload, context.source) ? { is: 'ready', attachmentId: attachment.id } : { is: 'differs' };
}

/** Asks which chunks have arrived. Null: continue. */
async function confirm(context: UploadContext, upload: Upload): Promise<End | null> {
  const url = stateUrlOf(context.route.stateUrl, upload.uploadId ?? '');
  const answer = await sendRequest(
    context,
    { method: 'GET', url, headers: context.route.headers, body: null },
    () => {},
  );
  if (answer.verdict.is !== 'accepted') {
    const end = endOf(answer, true);
    if (end.is !== 'not-allowed') return end;
    return { is: 'lost', sentence: end.sentence, refusal: refusalOf(answer.response) };
  }
  confirmUpload(upload, readReceived(answer.response) ?? []);
  context.progress.onUpload(upload);
  return null;
}

/** The last chunk is always sent, for its response. */
async function sendChunk(
  context: UploadContext,
  upload: Upload,
  isComplete: boolean,
): Promise<End | { is: 'sent'; attachment: WireAttachment | null }> {
  const { progress } = context;
  const number = upload.nextChunk;
  const { start, end } = chunkRange(upload, number, context.source.sizeBytes);
  const isLast = number === upload.chunkCount - 1;
  const isSlow = upload.uploadId === null ? slownessOf(context.chunkSize, context.ports.clock, end - start) : null;
  const slow = new AbortController();
  const inner = isSlow === null ? context : { ...context, signal: anySignal([context.signal, slow.signal]) };
  const transferred = await transferChunk(inner, upload, {
    number,
    isSent: !isComplete && (isLast || !upload.arrived.has(number)),
    onBytes(sent) {
      progress.onBytes(start + sent);
      if (isLast && sent >= end - start) progress.onState('finishing');
      if (isSlow?.(sent)) slow.abort();
    },
  }).catch((error: unknown) => {
    if (slow.signal.aborted && !context.signal.aborted) return 'too-slow' as const;
    throw error;
  });
  if (transferred === 'too-slow') return { is: 'too-slow' };
  if (transferred === null) return unreadable;
  const { answer, crc } = transferred;
  if (answer !== null && answer.verdict.is !== 'accepted') return endOf(answer, upload.uploadId !== null);
  const reply = answer === null ? null : readChunkAnswer(answer.response);
  upload.uploadId ??= reply?.uploadId ?? null;
  upload.crc = crc;
  upload.nextChunk = number + 1;
  progress.onBytes(end);
  progress.onUpload(upload);
  return { is: 'sent', attachment: reply?.attachment ?? null };
}

/** Applies to all files. False when a smaller size cannot help. */
function shrink({ chunkSize, source }: UploadContext, upload: Upload): boolean {
  const sent = Math.min(upload.chunkBytes, source.sizeBytes);
  // It was streamed, or another file has reduced the size.
  if (createUpload(source.sizeBytes, chunkSize.bytes).chunkBytes < sent) {
    chunkSize.isReduced = true;
    return true;
  }
  const half = Math.floor(sent / 2);
  if (half < smallestChunkBytes || createUpload(source.sizeBytes, half).chunkBytes >= sent) return false;
  chunkSize.bytes = Math.min(chunkSize.bytes, half);
  chunkSize.isReduced = true;
  return true;
}

/** Empty while the server is still computing it. */
function isRight(attachment: WireAttachment, { crc }: { crc: number }, source: FileSource): boolean {
  if (!Number.isNaN(attachment.size) && attachment.size !== source.sizeBytes) return false;
  return attachment.crc32 === '' || attachment.crc32.toLowerCase() === crc32Text(crc);
}
