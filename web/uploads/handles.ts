// File handles in IndexedDB (Chrome, Edge), so that an upload resumes after a reload without choosing its file again.
import { isSameFile } from '../../transfer/rules.ts';
import { fileOf, type UploadStore } from './saved-uploads.ts';

/** `requestPermission` does not exist in every browser. */
export interface FileHandle {
  readonly kind: 'file';
  readonly name: string;
  getFile(): Promise<File>;
  requestPermission?(options: { mode: 'read' }): Promise<PermissionState>;
}

type FileIdentity = ReturnType<typeof fileOf>;

export interface UploadStoreWithHandles extends UploadStore {
  saveHandle(file: FileIdentity, handle: FileHandle): void;
  findHandle(file: FileIdentity): Promise<FileHandle | null>;
}

export type Reopened = { is: 'same'; file: File } | { is: NotReopened };

/** `changed`: since the upload began. */
export type NotReopened = 'denied' | 'changed' | 'gone';

/** May show a permission prompt; call it in a click handler. */
export async function reopen(handle: FileHandle, known: FileIdentity): Promise<Reopened> {
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
export function withHandles(store: UploadStore, name: string): UploadStoreWithHandles {
  return {
    list: store.list,
    save(...stored) {
      store.save(...stored);
      for (const one of stored) if (one.is === 'arrived') void deleteHandles(keyOf(name, fileOf(one)));
    },
    remove(file) {
      store.remove(file);
      void deleteHandles(keyOf(name, file));
    },
    clear() {
      store.clear();
      void deleteHandles(keyOf(name));
    },
    saveHandle(file, handle) {
      void inHandles('readwrite', (handles) => handles.put({ handle, keptAt: Date.now() }, keyOf(name, file)));
    },
    async findHandle(file) {
      const found = await inHandles<Entry | undefined>('readonly', (handles) => handles.get(keyOf(name, file)));
      return found?.handle ?? null;
    },
  };
}

/** Resolves also if deleting fails. */
export async function deleteHandles(start: string): Promise<void> {
  await inHandles('readwrite', (handles) => handles.delete(IDBKeyRange.bound(start, `${start}\uffff`)));
}

interface Entry {
  handle: FileHandle;
  keptAt: number;
}

/** Equals that of drafts; the server deletes unfinished uploads sooner. */
const lifetimeMs = 7 * 24 * 3_600_000;

function keyOf(name: string, file?: FileIdentity): string {
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
      deleteOld(opening.result);
    };
  });
  return opened;
}

function deleteOld(database: IDBDatabase): void {
  const opening = database.transaction('handles', 'readwrite').objectStore('handles').openCursor();
  opening.onsuccess = () => {
    const cursor = opening.result;
    if (cursor === null) return;
    if (Date.now() - (cursor.value as Entry).keptAt > lifetimeMs) cursor.delete();
    cursor.continue();
  };
}

/** Null if the browser stores nothing. */
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
