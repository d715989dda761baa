// Chunks that are too large for memory.

import { chunkBytesNow } from './chunk-size.ts';
import { postChunk, readChunk, type UploadContext } from './chunk-upload.ts';
import { type Answer, Interrupted } from './exchange.ts';
import { anySignal } from './older-platforms.ts';
import type { Send } from './ports.ts';
import { chunkRange, type Upload } from './upload.ts';

/** Limits what an interruption can lose. */
const maxSecondsPerChunk = 10;

/** Chunks above a quarter of the streamed size are not held in memory. */
export function isStreamed(context: UploadContext, { chunkBytes }: Upload): boolean {
  return canStream(context) && chunkBytes > context.ports.streamedChunkBytes / 4;
}

/** Large chunks have less overhead. */
export function chunkBytesFor(context: UploadContext, bytesPerSecond: number): number {
  const { chunkSize, ports } = context;
  const isFast = bytesPerSecond * maxSecondsPerChunk >= ports.streamedChunkBytes;
  const isLarge = isFast && canStream(context) && !chunkSize.isReduced;
  return isLarge ? Math.max(chunkSize.bytes, ports.streamedChunkBytes) : chunkBytesNow(chunkSize);
}

function canStream({ ports, source }: UploadContext): boolean {
  return ports.stream !== undefined && source.stream !== undefined;
}

export interface TransferredChunk {
  /** Null: the server has the chunk. */
  answer: Answer | null;
  /** Covers the file up to the end of this chunk. */
  crc: number;
}

interface ChunkToTransfer {
  number: number;
  /** False: read the chunk only for the checksum. */
  isSent: boolean;
  onBytes(sentBytes: number): void;
}

/** Null when the file cannot be read or has changed. */
export function transferChunk(
  context: UploadContext,
  upload: Upload,
  chunk: ChunkToTransfer,
): Promise<TransferredChunk | null> {
  return isStreamed(context, upload)
    ? transferStreamed(context, upload, chunk)
    : transferFromMemory(context, upload, chunk);
}

async function transferFromMemory(
  context: UploadContext,
  upload: Upload,
  { number, isSent, onBytes }: ChunkToTransfer,
): Promise<TransferredChunk | null> {
  const bytes = await readChunk(context, upload, number);
  if (bytes === null) return null;
  const answer = isSent ? await postChunk(context, upload, { number, bytes }, onBytes) : null;
  const crc = context.ports.crc32(upload.crc, bytes);
  context.source.release?.(bytes);
  return { answer, crc };
}

/** Every attempt reads the chunk again. */
interface Reading {
  crc: number;
  missingBytes: number;
}

async function transferStreamed(
  context: UploadContext,
  upload: Upload,
  { number, isSent, onBytes }: ChunkToTransfer,
): Promise<TransferredChunk | null> {
  const { start, end } = chunkRange(upload, number, context.source.sizeBytes);
  const failing = new AbortController();
  let reading: Reading = { crc: upload.crc, missingBytes: end - start };
  async function* portions() {
    const ownReading = { crc: upload.crc, missingBytes: end - start };
    reading = ownReading;
    try {
      for await (const bytes of context.source.stream?.(start, end) ?? []) {
        ownReading.crc = context.ports.crc32(ownReading.crc, bytes);
        ownReading.missingBytes -= bytes.length;
        yield bytes;
      }
      if (ownReading.missingBytes !== 0) throw new Error('the file has changed');
    } catch (error) {
      // A retry would fail in the same way.
      failing.abort();
      throw error;
    }
  }
  const send: Send = (request) =>
    context.ports.stream!({ ...request, body: { sizeBytes: end - start, portions: portions() } });
  const signal = anySignal([context.signal, failing.signal]);
  const inner = { ...context, signal, ports: { ...context.ports, send } };
  try {
    const answer = isSent ? await postChunk(inner, upload, { number, bytes: null }, onBytes) : null;
    // The server may respond early; read the rest for the checksum.
    const isAccepted = answer === null || answer.verdict.is === 'accepted';
    if (isAccepted && reading.missingBytes > 0) for await (const _ of portions());
    return { answer, crc: reading.crc };
  } catch (error) {
    if (context.signal.aborted) throw new Interrupted();
    if (failing.signal.aborted) return null;
    throw error;
  }
}
