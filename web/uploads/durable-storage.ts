// localStorage with copies in IndexedDB. Chromium writes localStorage to disk only after seconds, so a killed browser would
// lose the last changes.
import { deleteStored, inDatabase } from './browser-database.ts';

export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

interface Copy {
  name: string;
  /** Null if it was removed. */
  text: string | null;
  keptAt: number;
}

/** Null if the browser forbids storage. Throws like localStorage. */
export function durableStorage(): TextStorage | null {
  const storage = localStorageIfAny();
  if (storage === null) return null;
  return {
    getItem(name) {
      const text = storage.getItem(name);
      return text?.startsWith(removed) ? null : text;
    },
    setItem(name, text) {
      storage.setItem(name, text);
      void copy(name, text);
    },
    removeItem(name) {
      // Until the copy is removed as well: a reload in between must not recover it.
      const mark = `${removed}${Date.now()}}`;
      try {
        storage.setItem(name, mark);
      } catch {
        storage.removeItem(name); // storage is full
      }
      void copy(name, null).then(() => {
        if (storage.getItem(name) === mark) storage.removeItem(name);
      });
    },
  };
}

/** Followed by the time, in the form that `newestIn` reads. */
const removed = '{"removed":true,"keptAt":';

function copy(name: string, text: string | null): Promise<unknown> {
  return inDatabase('readwrite', (entries) => entries.put({ name, text, keptAt: Date.now() } satisfies Copy, name));
}

export function clearStorage(isCleared: (name: string) => boolean, start: string): Promise<void> {
  const storage = localStorageIfAny();
  const names = Array.from({ length: storage?.length ?? 0 }, (_, index) => storage?.key(index) ?? '');
  for (const name of names) if (isCleared(name)) storage?.removeItem(name);
  return deleteStored(start);
}

const patienceMs = 1000;

/** Call before anything reads the storage. */
export async function recoverStorage(): Promise<void> {
  const storage = localStorageIfAny();
  if (storage === null) return;
  const found = inDatabase<Partial<Copy>[]>('readonly', (entries) => entries.getAll());
  const entries = await Promise.race([found, new Promise<null>((resolve) => setTimeout(resolve, patienceMs, null))]);
  for (const { name, text, keptAt } of entries ?? []) {
    if (name === undefined || text === undefined || keptAt === undefined) continue;
    const present = storage.getItem(name);
    if (keptAt < newestIn(present)) continue;
    try {
      if (text === null) storage.removeItem(name);
      else if (text !== present) storage.setItem(name, text);
    } catch {
      // Storage is full.
    }
  }
}

/** Another tab may have written more than the copy has. */
export function newestIn(text: string | null): number {
  return Math.max(0, ...Array.from((text ?? '').matchAll(/"keptAt":(\d{1,16})/g), ([, at]) => Number(at)));
}

function localStorageIfAny(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
