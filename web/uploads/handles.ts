// Lets an upload continue after a reload without choosing its file again, in browsers that give out handles to files
// (Chrome, Edge): kept in IndexedDB beside the note of the upload in kept.ts, and deleted with it. Holds no bytes. Where
// there is no handle, or reading is refused, people choose the file again.
import { isSameFile } from '../../transfer/rules.ts';
import { fileOf, type Store } from './kept.ts';

/** A file in the browser's File System Access API; browsers without permissions for handles leave the question out. */
export interface FileHandle {
  readonly kind: 'file';
  readonly name: string;
  getFile(): Promise<File>;
  requestPermission?(wanted: { mode: 'read' }): Promise<PermissionState>;
}

type KnownFile = ReturnType<typeof fileOf>;

/** What kept.ts keeps, and the handles of the same files. */
export interface StoreWithHandles extends Store {
  keepHandle(file: KnownFile, handle: FileHandle): void;
  findHandle(file: KnownFile): Promise<FileHandle | null>;
}

export type Reopened = { is: 'same'; file: File } | { is: NotReopened };

/** Nobody permitted it, it has other content than when its upload began, or it is no longer there. */
export type NotReopened = 'denied' | 'changed' | 'gone';

/** Asks the browser's question at most once; must be called by a press of the person. */
export async function reopen(handle: FileHandle, known: KnownFile): Promise<Reopened> {
  try {
    if (((await handle.requestPermission?.({ mode: 'read' })) ?? 'granted') !== 'granted') return { is: 'denied' };
    const file = await handle.getFile();
    const { size: sizeBytes, lastModified: modifiedAt } = file;
    const isNamedSame = known.name.split('/').at(-1) === file.name;
    if (!isNamedSame || !isSameFile({ name: known.name, sizeBytes, modifiedAt }, known)) return { is: 'changed' };
    return { is: 'same', file };
  } catch (error) {
    const isRefusal = error instanceof DOMException && ['NotAllowedError', 'SecurityError'].includes(error.name);
    return { is: isRefusal ? 'denied' : 'gone' };
  }
}

/** `name` is the one of the store. */
export function withHandles(store: Store, name: string): StoreWithHandles {
  return {
    list: store.list,
    keep(...kept) {
      store.keep(...kept);
      for (const one of kept) if (one.is === 'arrived') void forgetHandles(keyOf(name, fileOf(one)));
    },
    forget(file) {
      store.forget(file);
      void forgetHandles(keyOf(name, file));
    },
    clear() {
      store.clear();
      void forgetHandles(keyOf(name));
    },
    keepHandle(file, handle) {
      void inHandles('readwrite', (handles) => handles.put({ handle, keptAt: Date.now() }, keyOf(name, file)));
    },
    async findHandle(file) {
      const found = await inHandles<Entry | undefined>('readonly', (handles) => handles.get(keyOf(name, file)));
      return found?.handle ?? null;
    },
  };
}

/** All whose key begins like this. Resolves when they are gone, or when there is nothing to be done about it. */
export async function forgetHandles(start: string): Promise<void> {
  await inHandles('readwrite', (handles) => handles.delete(IDBKeyRange.bound(start, `${start}\uffff`)));
}

interface Entry {
  handle: FileHandle;
  keptAt: number;
}

/** As long as drafts; the server forgets unfinished uploads sooner. */
const lifetimeMs = 7 * 24 * 3_600_000;

function keyOf(name: string, file?: KnownFile): string {
  return file === undefined ? `${name}\n` : `${name}\n${JSON.stringify([file.name, file.sizeBytes, file.modifiedAt])}`;
}

let opened: Promise<IDBDatabase | null> | null = null;

function open(): Promise<IDBDatabase | null> {
  opened ??= new Promise((resolve) => {
    const opening = indexedDB.open('waybill', 1);
    opening.onupgradeneeded = () => void opening.result.createObjectStore('handles');
    opening.onerror = () => resolve(null);
    opening.onblocked = () => resolve(null);
    opening.onsuccess = () => {
      resolve(opening.result);
      forgetOld(opening.result);
    };
  });
  return opened;
}

function forgetOld(database: IDBDatabase): void {
  const looking = database.transaction('handles', 'readwrite').objectStore('handles').openCursor();
  looking.onsuccess = () => {
    const cursor = looking.result;
    if (cursor === null) return;
    if (Date.now() - (cursor.value as Entry).keptAt > lifetimeMs) cursor.delete();
    cursor.continue();
  };
}

/** One request in a transaction of its own; null where the browser keeps nothing. */
async function inHandles<Value>(
  mode: IDBTransactionMode,
  act: (handles: IDBObjectStore) => IDBRequest,
): Promise<Value | null> {
  try {
    const database = await open();
    if (database === null) return null;
    return await new Promise((resolve) => {
      const transaction = database.transaction('handles', mode);
      const request = act(transaction.objectStore('handles'));
      transaction.oncomplete = () => resolve(request.result as Value);
      transaction.onabort = () => resolve(null);
    });
  } catch {
    return null;
  }
}
