// Saves which chunks arrived, so that uploads resume after a reload; never bytes.
import { isSameFile } from '../../transfer/rules.ts';
import type { SavedUpload } from '../../transfer/states.ts';
import type { TextStorage } from './durable-storage.ts';

export type StoredFile =
  | { is: 'added'; name: string; sizeBytes: number; modifiedAt: number | null; keptAt: number }
  | { is: 'under-way'; upload: SavedUpload; keptAt: number }
  | { is: 'arrived'; attachmentId: string; name: string; sizeBytes: number; modifiedAt: number | null; keptAt: number };

export interface UploadStore {
  list(): StoredFile[];
  /** Replaces an entry in place, so that files keep their order. */
  save(...files: StoredFile[]): void;
  remove(file: { name: string; sizeBytes: number; modifiedAt: number | null }): void;
  clear(): void;
}

/** The server deletes unfinished uploads after a day. */
const lifetimeMs = 24 * 3_600_000;
/** The most files of one delivery. */
const maxStored = 1000;

/** `name` differs per page. Without storage, nothing is saved. */
export function createUploadStore(storage: TextStorage | null, name: string, now: () => number): UploadStore {
  const read = (): StoredFile[] => {
    try {
      const list = JSON.parse(storage?.getItem(name) ?? '[]') as StoredFile[];
      return list.filter((stored) => now() - stored.keptAt < lifetimeMs);
    } catch {
      return [];
    }
  };
  const write = (list: StoredFile[]) => {
    try {
      if (list.length === 0) storage?.removeItem(name);
      else storage?.setItem(name, JSON.stringify(list.slice(-maxStored)));
    } catch {
      // Storage is full or forbidden.
    }
  };
  const without = (file: Parameters<UploadStore['remove']>[0]) =>
    read().filter((stored) => !isSameFile(fileOf(stored), file));
  return {
    list: read,
    save(...stored) {
      const list = read();
      for (const one of stored) {
        const at = list.findIndex((other) => isSameFile(fileOf(other), fileOf(one)));
        if (at === -1) list.push(one);
        else list[at] = one;
      }
      if (stored.length > 0) write(list);
    },
    remove: (file) => write(without(file)),
    clear: () => write([]),
  };
}

export function fileOf(stored: StoredFile): { name: string; sizeBytes: number; modifiedAt: number | null } {
  return stored.is === 'under-way' ? stored.upload : stored;
}
