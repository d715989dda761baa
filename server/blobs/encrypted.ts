// Encrypted bytes over any store, the only way in which actions access content.
import type { BlobStore, ByteRange, SealedBlob, Vault } from '#server/domain/ports.ts';
import { openHashOffload } from './hash-offload.ts';
import { openRange } from './open-range.ts';
import { receiveBlob } from './receive.ts';
import { sendBatches } from './send.ts';
import { countTransfers } from './transfers.ts';

export function openVault(store: BlobStore): Vault {
  const transfers = countTransfers();
  const offload = openHashOffload();

  async function* batchesOf(blob: SealedBlob, range: ByteRange): AsyncGenerator<Buffer[]> {
    const over = transfers.begin();
    try {
      yield* openRange(store, blob, range);
    } finally {
      over();
    }
  }

  return {
    receive: (blob, body, options) => receiveBlob({ store, transfers, offload }, blob, body, options),
    send: (blob, range, destination, options) =>
      sendBatches(batchesOf(blob, range), range.end - range.start, destination, options),
    async *read(blob, range) {
      for await (const batch of batchesOf(blob, range)) yield* batch;
    },
    erase: (key) => store.delete(key),
    list: () => store.list(),
    assertOwn: async () => {},
    removeUnfinished: (olderThan, isArriving) => store.removeUnfinished(olderThan, isArriving),
    state: () => store.state(),
    trouble: () => store.trouble(),
    space: () => store.space(),
    async close() {
      await offload.close();
      await store.close();
    },
  };
}
