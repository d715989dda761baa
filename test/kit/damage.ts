// Changes stored bytes directly, on disk and in S3.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { type StartOptions, startTestApp, type TestApp } from './app.ts';
import type { Engine } from './engines.ts';

export type Store = Record<string, string>;

export async function startWithStore(
  engine: Engine,
  options: StartOptions = {},
): Promise<{ app: TestApp; store: Store }> {
  const place = await engine.create();
  const app = await startTestApp({ ...engine, create: async () => place }, options);
  return { app, store: place.environment };
}

/** Flips one bit at the offset of every stored file that is long enough. */
export async function damageStoredFiles(store: Store, offset: number): Promise<void> {
  let damaged = 0;
  for (const file of store.WAYBILL_STORAGE === 's3' ? await listObjects(store) : await listDisk(store)) {
    const bytes = await file.read();
    if (bytes.length <= offset) continue;
    bytes[offset]! ^= 1;
    await file.write(bytes);
    damaged++;
  }
  if (damaged === 0) throw new Error('there is no stored file to damage');
}

/** Names the owner of the store; not a stored file. */
const markName = 'waybill-installation';

interface Stored {
  read(): Promise<Buffer>;
  write(bytes: Buffer): Promise<unknown>;
}

async function listDisk(store: Store): Promise<Stored[]> {
  const folder = join(store.WAYBILL_DATA_DIR!, 'files');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== markName)
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ read: () => readFile(path), write: (bytes) => writeFile(path, bytes) }));
}

async function listObjects(store: Store): Promise<Stored[]> {
  const client = new S3Client({
    endpoint: store.WAYBILL_S3_ENDPOINT!,
    region: store.WAYBILL_S3_REGION!,
    forcePathStyle: true,
    credentials: { accessKeyId: store.WAYBILL_S3_ACCESS_KEY!, secretAccessKey: store.WAYBILL_S3_SECRET_KEY! },
  });
  const Bucket = store.WAYBILL_S3_BUCKET!;
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
  return Contents.filter(({ Key }) => Key !== markName).map(({ Key }) => ({
    read: async () => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      return Buffer.from(await Body!.transformToByteArray());
    },
    write: (bytes) => client.send(new PutObjectCommand({ Bucket, Key, Body: bytes })),
  }));
}
