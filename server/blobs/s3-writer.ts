// Writes one blob to an S3-compatible server: one PUT if it is small, else parts of 8 MiB, at most two in parallel. The
// server checks the MD5 of each part; the size is checked at the end. On any error, no object and no unfinished upload
// remains.
import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { type BlobWriter, StoreFull, StoreUnavailable } from '#server/domain/ports.ts';
import { asStoreError, nameOf, type S3Place } from './s3-client.ts';
import { deleteObject } from './s3-delete.ts';

const mebibyte = 1024 * 1024;
const firstPartBytes = 8 * mebibyte;
const maxParts = 10_000;
const maxPartsInFlight = 2;

/** Parts grow with their number, so that ten thousand, the limit of servers, have 430 GiB instead of 78. */
export function partBytes(partNumber: number): number {
  return firstPartBytes * (1 + Math.floor((partNumber - 1) / 1000));
}

export function createS3Writer(place: S3Place, key: string): BlobWriter {
  const objects = createObjectWriter(place, key);
  const part = createPartBuffer();
  let writtenBytes = 0;
  let state: 'open' | 'failed' | 'done' = 'open';
  let working: Promise<void> = Promise.resolve();

  async function writeAll(bytes: Buffer): Promise<void> {
    for (let rest = bytes; rest.length > 0; ) {
      if (part.lengthBytes() === partBytes(objects.nextPart())) await objects.sendPart(part.take());
      const taken = rest.subarray(0, partBytes(objects.nextPart()) - part.lengthBytes());
      part.add(taken);
      writtenBytes += taken.length;
      rest = rest.subarray(taken.length);
    }
  }

  async function commit(): Promise<void> {
    await objects.finish(part.take(), writtenBytes);
    state = 'done';
  }

  function work(step: () => Promise<void>): Promise<void> {
    if (state !== 'open') return Promise.reject(new StoreUnavailable('the writer is closed'));
    working = step().catch((error) => {
      state = 'failed';
      throw asStoreError(error, key);
    });
    return working;
  }

  return {
    write: (bytes) => work(() => writeAll(bytes)),
    commit: () => work(commit),
    async abort() {
      if (state === 'open') state = 'failed';
      objects.interrupt();
      await working.catch(() => {});
      if (state === 'done') return;
      await objects.remove().catch((error) => {
        throw asStoreError(error, key);
      });
    },
  };
}

interface ObjectWriter {
  nextPart(): number;
  /** Resolves when the part is being sent and another may follow. */
  sendPart(bytes: Buffer): Promise<void>;
  /** Sends the rest, completes and checks. */
  finish(rest: Buffer, totalBytes: number): Promise<void>;
  interrupt(): void;
  remove(): Promise<void>;
}

function createObjectWriter(place: S3Place, key: string): ObjectWriter {
  const { client } = place;
  const target = { Bucket: place.bucket, Key: place.prefix + key };
  const interruption = new AbortController();
  const options = { abortSignal: interruption.signal };
  const parts = createParts(client, target, options);
  let mayExist = false;
  // Checked while the first bytes arrive, before anything is sent.
  const free = assertFree(client, target, options);
  free.catch(() => {});

  async function sendPart(bytes: Buffer): Promise<void> {
    await free;
    await parts.send(bytes);
  }

  return {
    nextPart: parts.next,
    sendPart,
    async finish(rest, totalBytes) {
      await free;
      if (parts.next() > 1) {
        if (rest.length > 0) await parts.send(rest);
        mayExist = true;
        await parts.complete();
      } else {
        mayExist = true;
        await client.send(new PutObjectCommand({ ...target, Body: rest, ContentMD5: md5(rest) }), options);
      }
      const { ContentLength } = await client.send(new HeadObjectCommand(target), options);
      if (ContentLength !== totalBytes) throw new StoreUnavailable('the object store kept another number of bytes');
    },
    interrupt: () => interruption.abort(),
    async remove() {
      await parts.abort();
      // A request whose answer was lost may have succeeded.
      if (mayExist) await deleteObject(place, key);
      mayExist = false;
    },
  };
}

/** The parts of one multipart upload, which begins with the first of them. */
function createParts(client: S3Place['client'], target: S3Target, options: { abortSignal: AbortSignal }) {
  const inFlight = new Set<Promise<void>>();
  const sent: { PartNumber: number; ETag: string }[] = [];
  let partNumber = 1;
  let uploadId: string | undefined;

  async function upload(PartNumber: number, Body: Buffer): Promise<void> {
    const part = { ...target, UploadId: uploadId, PartNumber, Body, ContentMD5: md5(Body) };
    const { ETag } = await client.send(new UploadPartCommand(part), options);
    if (!ETag) throw new StoreUnavailable('the object store did not acknowledge a part');
    sent.push({ PartNumber, ETag });
  }

  return {
    next: () => partNumber,
    async send(bytes: Buffer): Promise<void> {
      if (partNumber > maxParts) throw new StoreFull(`an object has at most ${maxParts} parts`);
      uploadId ??= (await client.send(new CreateMultipartUploadCommand(target), options)).UploadId;
      if (!uploadId) throw new StoreUnavailable('the object store gave no upload id');
      const uploading = upload(partNumber, bytes).then(() => void inFlight.delete(uploading));
      uploading.catch(() => {});
      inFlight.add(uploading);
      partNumber += 1;
      // A failed part stays in the set, so that the next one fails as well.
      if (inFlight.size >= maxPartsInFlight) await Promise.race(inFlight);
    },
    async complete(): Promise<void> {
      await Promise.all(inFlight);
      const Parts = sent.sort((a, b) => a.PartNumber - b.PartNumber);
      const whole = { ...target, UploadId: uploadId, MultipartUpload: { Parts } };
      const { ETag } = await client.send(new CompleteMultipartUploadCommand(whole), options);
      // The server may answer 200 with an error in the body and without a tag.
      if (!ETag) throw new StoreUnavailable('the upload was not completed');
    },
    async abort(): Promise<void> {
      await Promise.allSettled(inFlight);
      if (!uploadId) return;
      const command = new AbortMultipartUploadCommand({ ...target, UploadId: uploadId });
      uploadId = undefined;
      await client.send(command).catch((error) => {
        if (nameOf(error) !== 'NoSuchUpload') throw error;
      });
    },
  };
}

interface S3Target {
  Bucket: string;
  Key: string;
}

/** Not every server supports `If-None-Match`; a check before is enough, because keys are random. */
async function assertFree(
  client: S3Place['client'],
  target: S3Target,
  options: { abortSignal: AbortSignal },
): Promise<void> {
  const found = await client.send(new HeadObjectCommand(target), options).catch((error) => {
    if (nameOf(error) === 'NotFound') return null;
    throw error;
  });
  if (found) throw new StoreUnavailable('the key is taken');
}

/** Collects a part; grows with the bytes, because most blobs are small. */
function createPartBuffer() {
  let buffer = Buffer.alloc(0);
  let usedBytes = 0;
  return {
    lengthBytes: () => usedBytes,
    add(bytes: Buffer): void {
      if (usedBytes + bytes.length > buffer.length) {
        const grown = Buffer.allocUnsafeSlow(
          Math.max(usedBytes + bytes.length, Math.min(2 * buffer.length, firstPartBytes)),
        );
        buffer.copy(grown, 0, 0, usedBytes);
        buffer = grown;
      }
      usedBytes += bytes.copy(buffer, usedBytes);
    },
    take(): Buffer {
      const taken = buffer.subarray(0, usedBytes);
      buffer = Buffer.alloc(0);
      usedBytes = 0;
      return taken;
    },
  };
}

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('base64');
}
