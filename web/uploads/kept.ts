// What is kept in this browser so that an upload can go on after a reload: the map of pieces, never the files.
import { isSameFile } from '../../transfer/rules.ts';
import type { SavedUpload } from '../../transfer/states.ts';

/** Added and not begun, on its way, or arrived and not yet delivered. */
export type Kept =
  | { is: 'added'; name: string; sizeBytes: number; modifiedAt: number | null; keptAt: number }
  | { is: 'under-way'; upload: SavedUpload; keptAt: number }
  | { is: 'arrived'; attachmentId: string; name: string; sizeBytes: number; modifiedAt: number | null; keptAt: number };

export interface Store {
  list(): Kept[];
  /** In place of what was kept for the same file, so that files stay in the order they were added. */
  keep(...kept: Kept[]): void;
  forget(file: { name: string; sizeBytes: number; modifiedAt: number | null }): void;
  clear(): void;
}

/** The server forgets unfinished uploads after a day. */
const lifetimeMs = 24 * 3_600_000;
/** As many as one delivery may have. */
const maxKept = 1000;

/** Under one name for each page, so that two requests do not mix. Works without storage, then it just forgets. */
export function createStore(storage: Storage | null, name: string, now: () => number): Store {
  const read = (): Kept[] => {
    try {
      const list = JSON.parse(storage?.getItem(name) ?? '[]') as Kept[];
      return list.filter((kept) => now() - kept.keptAt < lifetimeMs);
    } catch {
      return [];
    }
  };
  const write = (list: Kept[]) => {
    try {
      if (list.length === 0) storage?.removeItem(name);
      else storage?.setItem(name, JSON.stringify(list.slice(-maxKept)));
    } catch {
      // Full or forbidden: then nothing is kept.
    }
  };
  const without = (file: Parameters<Store['forget']>[0]) => read().filter((kept) => !isSameFile(fileOf(kept), file));
  return {
    list: read,
    keep(...kept) {
      const list = read();
      for (const one of kept) {
        const at = list.findIndex((other) => isSameFile(fileOf(other), fileOf(one)));
        if (at === -1) list.push(one);
        else list[at] = one;
      }
      if (kept.length > 0) write(list);
    },
    forget: (file) => write(without(file)),
    clear: () => write([]),
  };
}

export function fileOf(kept: Kept): { name: string; sizeBytes: number; modifiedAt: number | null } {
  return kept.is === 'under-way' ? kept.upload : kept;
}
