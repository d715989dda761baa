// File handles in IndexedDB (Chrome, Edge), so that an upload resumes after a reload without choosing its file again.
import { isSameFile } from '../../transfer/rules.ts';
import { deleteStored, inDatabase } from './browser-database.ts';
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
      for (const one of stored) if (one.is === 'arrived') void deleteStored(keyOf(name, fileOf(one)));
    },
    remove(file) {
      store.remove(file);
      void deleteStored(keyOf(name, file));
    },
    clear() {
      store.clear();
      void deleteStored(keyOf(name));
    },
    saveHandle(file, handle) {
      void inDatabase('readwrite', (handles) => handles.put({ handle, keptAt: Date.now() }, keyOf(name, file)));
    },
    async findHandle(file) {
      const found = await inDatabase<Entry | undefined>('readonly', (handles) => handles.get(keyOf(name, file)));
      return found?.handle ?? null;
    },
  };
}

interface Entry {
  handle: FileHandle;
  keptAt: number;
}

function keyOf(name: string, file?: FileIdentity): string {
  return file === undefined ? `${name}\n` : `${name}\n${JSON.stringify([file.name, file.sizeBytes, file.modifiedAt])}`;
}
