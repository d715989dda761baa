// The ways files get onto the page: two buttons, dropping anywhere in the window, pasting. Folders keep their names.
import type { FileHandle } from './handles.ts';

export interface Picked {
  file: File;
  /** With folders, as `folder/name`. */
  path: string;
  /** Where the browser gives one: reads the same file again after a reload. */
  handle?: FileHandle;
}

/** The parts of the File System Access API that TypeScript does not know. */
interface FolderHandle {
  readonly kind: 'directory';
  readonly name: string;
  values(): AsyncIterable<FileHandle | FolderHandle>;
}
type ItemWithHandle = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileHandle | FolderHandle | null> };
type WindowWithPicker = Window & { showOpenFilePicker?(wanted: { multiple: boolean }): Promise<FileHandle[]> };

type Take = (picked: Picked[]) => void;

/** Opens the browser's own window for choosing. */
export function chooseFiles(isFolder: boolean, take: Take): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.webkitdirectory = isFolder;
  input.addEventListener('change', () => take(Array.from(input.files ?? [], pickedOf)));
  input.click();
}

/** The same, with handles where the browser has a window that gives them. */
export function chooseFilesWithHandles(isFolder: boolean, take: Take): void {
  const { showOpenFilePicker } = window as WindowWithPicker;
  // Folders are left to the input: the other window asks one more question for them.
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

/** Until the signal, where there is one; pages take files as long as they are open. */
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
      // The list is only there during the event, so the entries are taken before anything is awaited.
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

/** Nothing is awaited before the last of the three was asked. */
async function filesOfItem(item: ItemWithHandle): Promise<Picked[]> {
  const handle = item.getAsFileSystemHandle?.();
  const entry = item.webkitGetAsEntry() ?? item.getAsFile();
  try {
    const held = await handle;
    if (held) return await filesOfHandle(held, held.name);
  } catch {
    // Some folders are closed to handles, not to dropping.
  }
  return filesOf(entry);
}

async function filesOfHandle(handle: FileHandle | FolderHandle, path: string): Promise<Picked[]> {
  if (handle.kind === 'file') return [await pickedByHandle(handle, path)];
  const found: Picked[] = [];
  for await (const inner of handle.values()) found.push(...(await filesOfHandle(inner, `${path}/${inner.name}`)));
  return found;
}

/** Stands for what was dropped and cannot be read, a file or a whole folder: its row says so, instead of nobody noticing. */
class UnreadableFile extends File {
  override slice(): Blob {
    throw new DOMException('It could not be read when it was dropped.', 'NotReadableError');
  }
}

function unreadable({ name, fullPath }: FileSystemEntry): Picked {
  // Nobody knows its size; without any it would be called empty.
  return { file: new UnreadableFile(['?'], name), path: pathOf(fullPath) };
}

function pathOf(fullPath: string): string {
  return fullPath.replace(/^\//, '');
}

/** A file, or all files of a folder and its folders. */
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
    // At most a hundred at a time, until none are left.
    const batch = await new Promise<FileSystemEntry[] | null>((resolve) =>
      reader.readEntries(resolve, () => resolve(null)),
    );
    if (batch === null) return [...found, unreadable(entry)];
    if (batch.length === 0) return found;
    for (const inner of batch) found.push(...(await filesOf(inner)));
  }
}
