// Blobs as objects of an S3-compatible server.
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  type MultipartUpload,
} from '@aws-sdk/client-s3';
import {
  BlobMissing,
  type BlobStore,
  type ByteRange,
  type StoredBlob,
  StoreUnavailable,
} from '#server/domain/ports.ts';
import { assertBlobKey, isBlobKey } from './blob-key.ts';
import { asStoreError, connectS3, nameOf, type S3Place, type S3StoreOptions, wordsOf } from './s3-client.ts';
import { deleteObject } from './s3-delete.ts';
import { readS3Mark, writeS3Mark } from './s3-mark.ts';
import { createS3Writer } from './s3-writer.ts';

/** How long a server may be silent in the middle of a blob. */
const silenceTimeoutMs = 60_000;
const stateTimeoutMs = 5_000;

export function openS3Store(options: S3StoreOptions): BlobStore {
  const place = connectS3(options);
  let trouble = '';
  return {
    async create(key) {
      assertBlobKey(key);
      return createS3Writer(place, key);
    },
    read: (key, range) => readObject(place, key, range),
    stat: (key) => statObject(place, key),
    delete: (key) => deleteObject(place, key),
    list: () => listObjects(place),
    removeUnfinished: (olderThan, isArriving) => removeUnfinished(place, olderThan, isArriving),
    readMark: () => readS3Mark(place),
    writeMark: (text) => writeS3Mark(place, text),
    async state() {
      trouble = await troubleOf(place);
      return trouble === '' ? 'healthy' : 'unreachable';
    },
    trouble: () => trouble,
    space: async () => null,
    close: async () => place.client.destroy(),
  };
}

async function* readObject(place: S3Place, key: string, range: ByteRange): AsyncGenerator<Buffer> {
  assertBlobKey(key);
  if (range.end <= range.start) {
    if (!(await statObject(place, key))) throw new BlobMissing(key);
    return;
  }
  const answer = await getObject(place, key, range);
  if (!answer) return;
  const body = answer.Body as Readable;
  const onSilence = () => body.destroy(new StoreUnavailable('the object store fell silent'));
  // Only while waiting for the server; the reader may be slow.
  let timer = setTimeout(onSilence, silenceTimeoutMs);
  try {
    for await (const piece of body) {
      clearTimeout(timer);
      yield piece;
      timer = setTimeout(onSilence, silenceTimeoutMs);
    }
  } catch (error) {
    throw asStoreError(error, key);
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
}

/** Null when the blob ends before the range begins. */
async function getObject(place: S3Place, key: string, range: ByteRange): Promise<GetObjectCommandOutput | null> {
  const command = new GetObjectCommand({
    Bucket: place.bucket,
    Key: place.prefix + key,
    Range: `bytes=${range.start}-${range.end - 1}`,
  });
  try {
    const answer = await place.client.send(command);
    const isWhole = range.start === 0 && (answer.ContentLength ?? Number.POSITIVE_INFINITY) <= range.end;
    if (answer.ContentRange?.startsWith(`bytes ${range.start}-`) || isWhole) return answer;
    (answer.Body as Readable).destroy();
    throw new StoreUnavailable('the object store ignores ranges');
  } catch (error) {
    if (nameOf(error) === 'InvalidRange') return null;
    throw asStoreError(error, key);
  }
}

async function statObject(place: S3Place, key: string): Promise<StoredBlob | null> {
  assertBlobKey(key);
  try {
    const found = await place.client.send(new HeadObjectCommand({ Bucket: place.bucket, Key: place.prefix + key }));
    return { key, storedBytes: found.ContentLength ?? 0, modifiedAt: found.LastModified?.getTime() ?? 0 };
  } catch (error) {
    const known = asStoreError(error, key);
    if (known instanceof BlobMissing) return null;
    throw known;
  }
}

async function* listObjects({ client, bucket, prefix }: S3Place): AsyncGenerator<StoredBlob> {
  let ContinuationToken: string | undefined;
  do {
    const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken });
    const page = await client.send(command).catch((error) => {
      throw asStoreError(error, '');
    });
    for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
      const key = Key.slice(prefix.length);
      if (isBlobKey(key)) yield { key, storedBytes: Size, modifiedAt: LastModified?.getTime() ?? 0 };
    }
    ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (ContinuationToken);
}

async function* listUnfinished({ client, bucket, prefix }: S3Place): AsyncGenerator<MultipartUpload> {
  let marker: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
  while (marker) {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...marker });
    const page: ListMultipartUploadsCommandOutput = await client.send(command);
    for (const upload of page.Uploads ?? []) if (isBlobKey((upload.Key ?? '').slice(prefix.length))) yield upload;
    marker = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null;
  }
}

async function removeUnfinished(
  place: S3Place,
  olderThan: number,
  isArriving: (key: string) => Promise<boolean>,
): Promise<number> {
  let removed = 0;
  try {
    for await (const { Key, UploadId, Initiated } of listUnfinished(place)) {
      if ((Initiated?.getTime() ?? Number.POSITIVE_INFINITY) >= olderThan) continue;
      if (await isArriving(Key!.slice(place.prefix.length))) continue;
      await place.client.send(new AbortMultipartUploadCommand({ Bucket: place.bucket, Key, UploadId }));
      removed += 1;
    }
  } catch (error) {
    throw asStoreError(error, '');
  }
  return removed;
}

/** The error of a check of the bucket; empty without one. GET, because HEAD has no body with the text. */
async function troubleOf({ client, bucket, prefix }: S3Place): Promise<string> {
  const options = () => ({ abortSignal: AbortSignal.timeout(stateTimeoutMs) });
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }), options());
    return '';
  } catch {
    const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 });
    return client.send(command, options()).then(
      () => '',
      (error) => `bucket ${bucket}: ${wordsOf(error)}`,
    );
  }
}
