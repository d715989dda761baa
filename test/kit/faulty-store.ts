// A blob store that fails on request: at the n-th write, at the commit, or during a read.
import type { BlobStore } from '#server/domain/ports.ts';

export interface Faults {
  onCreate?: () => Error | null;
  /** Thrown by the write with this number, counted from 1 within a blob, after this many bytes. */
  onWrite?: (number: number, bytesSoFar: number) => Error | null;
  onCommit?: () => Error | null;
  onRead?: (bytesSoFar: number) => Error | null;
}

export function createFaultyStore(store: BlobStore): { store: BlobStore; faults: Faults } {
  const faults: Faults = {};
  const raise = (error: Error | null | undefined) => {
    if (error) throw error;
  };
  return {
    faults,
    store: {
      ...store,
      async create(key) {
        raise(faults.onCreate?.());
        const writer = await store.create(key);
        let writes = 0;
        let bytesSoFar = 0;
        return {
          async write(bytes) {
            writes += 1;
            raise(faults.onWrite?.(writes, bytesSoFar));
            bytesSoFar += bytes.length;
            await writer.write(bytes);
          },
          async commit() {
            raise(faults.onCommit?.());
            await writer.commit();
          },
          abort: () => writer.abort(),
        };
      },
      async *read(key, range) {
        let bytesSoFar = 0;
        for await (const chunk of store.read(key, range)) {
          raise(faults.onRead?.(bytesSoFar));
          bytesSoFar += chunk.length;
          yield chunk;
        }
      },
    },
  };
}
