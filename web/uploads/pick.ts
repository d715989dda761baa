// Files of folders keep their paths.
import type { FileHandle } from './handles.ts';

export interface Picked {
  file: File;
  /** Includes folders: `folder/name`. */
  path: string;
  /** Reads the same file again after a reload. */
  handle?: FileHandle;
}

/** TypeScript lacks these parts of the File System Access API. */
interface FolderHandle {
  readonly kind: 'directory';
  readonly name: string;
  values(): AsyncIterable<FileHandle | FolderHandle>;
}
type ItemWithHandle = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileHandle | FolderHandle | null> };
type WindowWithPicker = Window & { showOpenFilePicker?(options: { multiple: boolean }): Promise<FileHandle[]> };

type Take = (picked: Picked[]) => void;

export function chooseFiles(isFolder: boolean, take: Take): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.webkitdirectory = isFolder;
  input.addEventListener('change', () => take(Array.from(input.files ?? [], pickedOf)));
  input.click();
}

/** Where the browser supports them. */
export function chooseFilesWithHandles(isFolder: boolean, take: Take): void {
  const { showOpenFilePicker } = window as WindowWithPicker;
  // The other dialog shows an additional prompt for folders.
  if (isFolder || showOpenFilePicker === undefined) {
    chooseFiles(isFolder, take);
    return;
  }
  void showOpenFilePicker({ multiple: true })
    .then((handles) => Promise.all(handles.map((handle) => pickedByHandle(handle, handle.name))))
    .then(take, (error: unknown) => {
      const isCancelled = error instanceof DOMException && error.name === 'AbortError';
      if (!isCancelled) chooseFiles(false, take);
    });
}

async function pickedByHandle(handle: FileHandle, path: string): Promise<Picked> {
  return { file: await handle.getFile(), path, handle };
}

/** Lasts as long as the page without a signal. */
export function acceptDrops(overlay: HTMLElement, take: Take, signal?: AbortSignal): void {
  const until = signal === undefined ? {} : { signal };
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  addEventListener(
    'dragover',
    (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      overlay.hidden = false;
    },
    until,
  );
  addEventListener(
    'dragleave',
    (event) => {
      if (event.relatedTarget === null) overlay.hidden = true;
    },
    until,
  );
  addEventListener(
    'drop',
    (event) => {
      overlay.hidden = true;
      if (!hasFiles(event)) return;
      event.preventDefault();
      // The list is only valid during the event: read all entries before the first await.
      const items = Array.from(event.dataTransfer?.items ?? []).filter((item) => item.kind === 'file');
      void Promise.all(items.map(filesOfItem)).then((found) => take(found.flat()));
    },
    until,
  );
  addEventListener(
    'paste',
    (event) => {
      const files = Array.from(event.clipboardData?.files ?? [], pickedOf);
      if (files.length === 0) return;
      event.preventDefault();
      take(files);
    },
    until,
  );
}

function pickedOf(file: File): Picked {
  return { file, path: file.webkitRelativePath || file.name };
}

/** Calls all three functions before the first await. */
async function filesOfItem(item: ItemWithHandle): Promise<Picked[]> {
  const handle = item.getAsFileSystemHandle?.();
  const entry = item.webkitGetAsEntry() ?? item.getAsFile();
  try {
    const held = await handle;
    if (held) return await filesOfHandle(held, held.name);
  } catch {
    // Some folders reject file handles but can still be dropped.
  }
  return filesOf(entry);
}

async function filesOfHandle(handle: FileHandle | FolderHandle, path: string): Promise<Picked[]> {
  if (handle.kind === 'file') return [await pickedByHandle(handle, path)];
  const found: Picked[] = [];
  for await (const inner of handle.values()) found.push(...(await filesOfHandle(inner, `${path}/${inner.name}`)));
  return found;
}

/** A dropped file that cannot be read, so that its row shows the error. */
class UnreadableFile extends File {
  override slice(): Blob {
    throw new DOMException('It could not be read when it was dropped.', 'NotReadableError');
  }
}

function unreadable({ name, fullPath }: FileSystemEntry): Picked {
  // Its size is unknown; without any it would be refused as empty.
  return { file: new UnreadableFile(['?'], name), path: pathOf(fullPath) };
}

function pathOf(fullPath: string): string {
  return fullPath.replace(/^\//, '');
}

async function filesOf(entry: FileSystemEntry | File | null): Promise<Picked[]> {
  if (entry === null) return [];
  if (entry instanceof File) return [pickedOf(entry)];
  if (entry.isFile) {
    const file = await new Promise<File | null>((resolve) =>
      (entry as FileSystemFileEntry).file(resolve, () => resolve(null)),
    );
    return [file ? { file, path: pathOf(entry.fullPath) } : unreadable(entry)];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Picked[] = [];
  for (;;) {
    // Returns at most 100 entries per call.
    const batch = await new Promise<FileSystemEntry[] | null>((resolve) =>
      reader.readEntries(resolve, () => resolve(null)),
    );
    if (batch === null) return [...found, unreadable(entry)];
    if (batch.length === 0) return found;
    for (const inner of batch) found.push(...(await filesOf(inner)));
  }
}
