// The connection to an S3-compatible server, and the translation of its errors.
import { S3Client } from '@aws-sdk/client-s3';
import { BlobMissing, StoreFull, StoreUnavailable } from '#server/domain/ports.ts';

export interface S3StoreOptions {
  endpoint: string;
  bucket: string;
  region: string;
  accessKey: string;
  secretKey: string;
  /** `https://host/bucket/key` instead of `https://bucket.host/key`. */
  pathStyle: boolean;
  /** Precedes every key, for a bucket with other objects. */
  prefix?: string;
}

export interface S3Place {
  client: S3Client;
  bucket: string;
  prefix: string;
}

const connectTimeoutMs = 5_000;
/** To the first byte of an answer, including the sending of a part. */
const requestTimeoutMs = 120_000;

export function connectS3(options: S3StoreOptions): S3Place {
  const client = new S3Client({
    endpoint: options.endpoint,
    region: options.region,
    credentials: { accessKeyId: options.accessKey, secretAccessKey: options.secretKey },
    forcePathStyle: options.pathStyle,
    // The default sends `aws-chunked` bodies, which several servers refuse and some store unchanged.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: 500 },
      httpsAgent: { keepAlive: true, maxSockets: 500 },
    },
  });
  return { client, bucket: options.bucket, prefix: options.prefix ?? '' };
}

export function asStoreError(error: unknown, key: string): Error {
  if (isOurs(error)) return error;
  const name = nameOf(error);
  if (missingNames.has(name)) return new BlobMissing(key);
  if (fullNames.has(name) || statusOf(error) === 507) return new StoreFull(`the object store said ${wordsOf(error)}`);
  return new StoreUnavailable(`the object store said ${wordsOf(error)}`);
}

export function nameOf(error: unknown): string {
  const { name, code } = error as { name?: string; code?: string };
  return (name === 'Error' ? code : name) ?? 'an unknown error';
}

export function wordsOf(error: unknown): string {
  const { message } = error as { message?: string };
  const name = nameOf(error);
  return message === undefined || message === '' || message === name ? name : `${name}: ${message}`;
}

export function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function isOurs(error: unknown): error is Error {
  return error instanceof BlobMissing || error instanceof StoreFull || error instanceof StoreUnavailable;
}

const missingNames = new Set(['NoSuchKey', 'NotFound']);
const fullNames = new Set(['QuotaExceeded', 'InsufficientStorage', 'EntityTooLarge', 'XMinioStorageFull']);
