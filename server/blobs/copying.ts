// Copies encrypted blobs between stores, for backups, restores and moves.
import { createHash } from 'node:crypto';
import { BlobMissing, type BlobStore, StoreUnavailable } from '#server/domain/ports.ts';

export interface Copied {
  storedBytes: number;
  /** The target had it. */
  wasThere: boolean;
}

export interface CopyOptions {
  /** Called with the size of each chunk; a promise delays the copy. */
  onBytes?: (count: number) => Promise<void> | undefined;
  isVerified?: boolean;
}

/** Rejects with `BlobMissing` only if the source does not have it: a move then deletes the original. */
export async function copyBlob(
  { from, to }: { from: BlobStore; to: BlobStore },
  key: string,
  options: CopyOptions = {},
): Promise<Copied> {
  const source = await from.stat(key);
  if (source === null) throw new BlobMissing(key);
  const { storedBytes } = source;
  const there = await to.stat(key);
  const isSame = async () =>
    options.isVerified !== true || (await readBack(to, key, storedBytes)) === (await hashOf(from, key, storedBytes));
  if (there?.storedBytes === storedBytes && (await isSame())) return { storedBytes, wasThere: true };
  if (there !== null) await to.delete(key);
  const written = await write({ from, to }, { key, storedBytes }, options.onBytes);
  if (options.isVerified === true && (await readBack(to, key, storedBytes)) !== written) {
    await to.delete(key);
    throw new StoreUnavailable(`what was written for blob ${key.slice(0, 6)}… reads back differently`);
  }
  return { storedBytes, wasThere: false };
}

async function write(
  { from, to }: { from: BlobStore; to: BlobStore },
  { key, storedBytes }: { key: string; storedBytes: number },
  onBytes: CopyOptions['onBytes'],
): Promise<string> {
  const hash = createHash('sha256');
  const writer = await to.create(key);
  let written = 0;
  try {
    for await (const piece of from.read(key, { start: 0, end: storedBytes })) {
      await onBytes?.(piece.length);
      hash.update(piece);
      written += piece.length;
      await writer.write(piece);
    }
    if (written !== storedBytes) throw new StoreUnavailable(`blob ${key.slice(0, 6)}… ended too early`);
    await writer.commit();
  } catch (error) {
    await writer.abort();
    throw error;
  }
  return hash.digest('hex');
}

/** A target that lacks the copy does not mean that the source lacks the blob. */
async function readBack(to: BlobStore, key: string, storedBytes: number): Promise<string> {
  return hashOf(to, key, storedBytes).catch((error: unknown) => {
    if (!(error instanceof BlobMissing)) throw error;
    throw new StoreUnavailable(`what was written for blob ${key.slice(0, 6)}… cannot be read back`);
  });
}

async function hashOf(store: BlobStore, key: string, storedBytes: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of store.read(key, { start: 0, end: storedBytes })) hash.update(piece);
  return hash.digest('hex');
}
