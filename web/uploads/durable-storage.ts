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
    getItem: (name) => storage.getItem(name),
    setItem(name, text) {
      storage.setItem(name, text);
      copy(name, text);
    },
    removeItem(name) {
      storage.removeItem(name);
      copy(name, null);
    },
  };
}

/** The number of the last change whose copy is not written yet. A reload in between must not recover an older copy. */
const pending = (name: string) => `waybill:pending:${name}`;
let changes = 0;

function copy(name: string, text: string | null): void {
  const session = sessionStorageIfAny();
  const change = String(++changes);
  try {
    session?.setItem(pending(name), change);
  } catch {
    // Storage is full.
  }
  const entry = { name, text, keptAt: Date.now() } satisfies Copy;
  void inDatabase('readwrite', (entries) => entries.put(entry, name)).then(() => {
    if (session?.getItem(pending(name)) === change) session.removeItem(pending(name));
  });
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
    if (sessionStorageIfAny()?.getItem(pending(name))) {
      copy(name, present);
      continue;
    }
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

function sessionStorageIfAny(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

function localStorageIfAny(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
