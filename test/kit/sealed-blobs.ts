// For tests of the vault: sealed blobs, broken bodies, failing stores.
import { randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { collect, freshKey } from '#server/blobs/blob-store.suite.ts';
import type { BlobStore, ByteRange, SealedBlob, Vault } from '#server/domain/ports.ts';

export function freshBlob(context = `${freshKey()}/1`): SealedBlob {
  return { key: freshKey(), dataKey: randomBytes(32), context };
}

export function bodyOf(bytes: Buffer, chunkBytes = 65_536): Readable {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes));
  return Readable.from(chunks, { objectMode: false });
}

/** A body whose connection is lost after this many bytes. */
export function interruptedBody(bytes: Buffer, endsAfterBytes: number, error?: Error): Readable {
  let at = 0;
  return new Readable({
    read(size) {
      const end = Math.min(endsAfterBytes, at + size);
      if (at >= endsAfterBytes) this.destroy(error);
      else this.push(bytes.subarray(at, end));
      at = end;
    },
  });
}

export async function store(vault: Vault, bytes: Buffer): Promise<SealedBlob> {
  const blob = freshBlob();
  await vault.receive(blob, bodyOf(bytes));
  return blob;
}

export async function readRange(vault: Vault, blob: SealedBlob, range: ByteRange): Promise<Buffer> {
  return Buffer.concat(await collect(vault.read(blob, range)));
}

/** Collects its input; its asynchronous callback makes back-pressure real. */
export function slowSink(): Writable & { received(): Buffer } {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, callback) {
      chunks.push(Buffer.from(chunk));
      setImmediate(callback);
    },
  });
  return Object.assign(sink, { received: () => Buffer.concat(chunks) });
}

export function storeWith(store: BlobStore, changes: Partial<BlobStore>): BlobStore {
  return { ...store, ...changes };
}
