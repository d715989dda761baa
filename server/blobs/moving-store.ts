// Two stores as one while files are moved: writes go to the current store, reads fall back to the former one.
import { BlobMissing, type BlobStore, type ByteRange, type EvidenceFiles } from '#server/domain/ports.ts';

export function openMovingStore(current: BlobStore, former: BlobStore): BlobStore {
  let isFormerAway = false;
  return {
    create: (key) => current.create(key),
    read: (key, range) => readEither(current, former, { key, range }),
    // In this order and once more, because the file may be moved in between.
    stat: async (key) => (await current.stat(key)) ?? (await former.stat(key)) ?? (await current.stat(key)),
    async delete(key) {
      await former.delete(key);
      await current.delete(key);
    },
    async *list() {
      yield* current.list();
      for await (const blob of former.list()) if ((await current.stat(blob.key)) === null) yield blob;
    },
    async removeUnfinished(olderThan, isArriving) {
      const removed = await current.removeUnfinished(olderThan, isArriving);
      return removed + (await former.removeUnfinished(olderThan, isArriving));
    },
    readMark: () => current.readMark(),
    writeMark: (text) => current.writeMark(text),
    async state() {
      const state = await current.state();
      isFormerAway = (await former.state()) === 'unreachable';
      return isFormerAway ? 'unreachable' : state;
    },
    trouble: () => (isFormerAway ? `where files were before: ${former.trouble()}` : current.trouble()),
    space: () => current.space(),
    async close() {
      await current.close();
      await former.close();
    },
  };
}

async function* readEither(
  current: BlobStore,
  former: BlobStore,
  { key, range }: { key: string; range: ByteRange },
): AsyncGenerator<Buffer> {
  for (const store of [current, former, current]) {
    let hasBegun = false;
    try {
      for await (const piece of store.read(key, range)) {
        hasBegun = true;
        yield piece;
      }
      return;
    } catch (error) {
      if (!(error instanceof BlobMissing) || hasBegun) throw error;
    }
  }
  throw new BlobMissing(key);
}

export function openMovingEvidence(current: EvidenceFiles, former: EvidenceFiles): EvidenceFiles {
  return {
    put: (files) => current.put(files),
    get: async (path) => (await current.get(path)) ?? (await former.get(path)) ?? (await current.get(path)),
    async remove(paths) {
      await former.remove(paths);
      await current.remove(paths);
    },
    async close() {
      await current.close();
      await former.close();
    },
  };
}
