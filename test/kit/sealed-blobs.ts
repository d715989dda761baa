// What the tests of the vault share: sealed places, bodies that misbehave, stores that fail.
import { randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { collect, freshKey } from '#server/blobs/blob-store.suite.ts';
import type { BlobStore, ByteRange, SealedBlob, Vault } from '#server/domain/ports.ts';

export function freshBlob(context = `${freshKey()}/1`): SealedBlob {
  return { key: freshKey(), dataKey: randomBytes(32), context };
}

/** A body that delivers the bytes in pieces of this size. */
export function bodyOf(bytes: Buffer, pieceBytes = 65_536): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  return Readable.from(pieces, { objectMode: false });
}

/** A body whose connection is lost after this many bytes. */
export function dyingBody(bytes: Buffer, diesAfterBytes: number, error?: Error): Readable {
  let at = 0;
  return new Readable({
    read(size) {
      const end = Math.min(diesAfterBytes, at + size);
      if (at >= diesAfterBytes) this.destroy(error);
      else this.push(bytes.subarray(at, end));
      at = end;
    },
  });
}

/** Receives the bytes and tells where they lie. */
export async function store(vault: Vault, bytes: Buffer): Promise<SealedBlob> {
  const blob = freshBlob();
  await vault.receive(blob, bodyOf(bytes));
  return blob;
}

export async function readRange(vault: Vault, blob: SealedBlob, range: ByteRange): Promise<Buffer> {
  return Buffer.concat(await collect(vault.read(blob, range)));
}

/** Collects what is sent to it; the callback is called later, so that back-pressure is real. */
export function slowSink(): Writable & { received(): Buffer } {
  const pieces: Buffer[] = [];
  const sink = new Writable({
    highWaterMark: 1,
    write(piece: Buffer, _encoding, callback) {
      pieces.push(Buffer.from(piece));
      setImmediate(callback);
    },
  });
  return Object.assign(sink, { received: () => Buffer.concat(pieces) });
}

/** The store with some of its functions replaced. */
export function storeWith(store: BlobStore, changes: Partial<BlobStore>): BlobStore {
  return { ...store, ...changes };
}
