import { type End, endOf, postChunk, readChunk, type UploadContext, unreadable } from './chunk-upload.ts';
import { anySignal } from './older-platforms.ts';
import type { FileSource } from './ports.ts';
import type { Upload } from './upload.ts';

/**
 * Sends all chunks but the last, whose response contains the attachment. Reads in order for the checksum. Null:
 * continue with the last.
 */
export async function sendParallel(context: UploadContext, upload: Upload): Promise<End | null> {
  const stopping = new AbortController();
  const signal = anySignal([context.signal, stopping.signal]);
  const inner = { ...context, signal };
  const running = new Set<Promise<void>>();
  const [sent, checksums] = [new Map<number, number>(), new Map<number, number>()];
  const ended: { end: End | null; error: unknown } = { end: null, error: null };
  const last = upload.chunkCount - 1;
  let [next, crc] = [upload.nextChunk, upload.crc];
  const report = () => context.progress.onBytes(bytesBefore(upload, context.source) + sumOf(sent));
  const arrive = (number: number) => {
    upload.arrived.add(number);
    advance(upload, checksums, sent);
    report();
    context.progress.onUpload(upload);
  };
  const send = async (number: number, bytes: Uint8Array<ArrayBuffer>) => {
    sent.set(number, 0);
    const answer = await postChunk(inner, upload, { number, bytes }, (count) => {
      sent.set(number, count);
      report();
    });
    if (answer.verdict.is === 'accepted') {
      context.concurrency.record(bytes.length, context.ports.clock.now());
      context.source.release?.(bytes);
      return arrive(number);
    }
    ended.end ??= endOf(answer, true);
    stopping.abort();
  };
  while (next < last && !stopping.signal.aborted) {
    while (running.size >= context.concurrency.current()) await Promise.race(running);
    if (stopping.signal.aborted || context.isPausing()) break;
    // Not `inner`: a refusal of another chunk wins over `Interrupted`.
    const bytes = await readChunk(context, upload, next);
    if (stopping.signal.aborted || context.isPausing()) break;
    if (bytes === null) {
      ended.end ??= unreadable;
      stopping.abort();
      break;
    }
    crc = context.ports.crc32(crc, bytes);
    checksums.set(next, crc);
    if (upload.arrived.has(next)) arrive(next);
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

/** Moves over the longest contiguous prefix of arrived chunks. */
function advance(upload: Upload, checksums: Map<number, number>, sent: Map<number, number>): void {
  for (;;) {
    const crc = checksums.get(upload.nextChunk);
    if (crc === undefined || !upload.arrived.has(upload.nextChunk)) return;
    checksums.delete(upload.nextChunk);
    sent.delete(upload.nextChunk);
    upload.crc = crc;
    upload.nextChunk += 1;
  }
}

function bytesBefore(upload: Upload, source: FileSource): number {
  return Math.min(source.sizeBytes, upload.nextChunk * upload.chunkBytes);
}

function sumOf(counts: Map<number, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}
