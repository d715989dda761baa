// The ways files get onto the page: two buttons, dropping anywhere in the window, pasting. Folders keep their names.

export interface Picked {
  file: File;
  /** With folders, as `folder/name`. */
  path: string;
}

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
      const dropped = items.map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
      void Promise.all(dropped.map(filesOf)).then((found) => take(found.flat()));
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

/** A file, or all files of a folder and its folders. What cannot be read is left out. */
async function filesOf(entry: FileSystemEntry | File | null): Promise<Picked[]> {
  if (entry === null) return [];
  if (entry instanceof File) return [pickedOf(entry)];
  if (entry.isFile) {
    const file = await new Promise<File | null>((resolve) =>
      (entry as FileSystemFileEntry).file(resolve, () => resolve(null)),
    );
    return file ? [{ file, path: entry.fullPath.replace(/^\//, '') }] : [];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Picked[] = [];
  for (;;) {
    // At most a hundred at a time, until none are left.
    const batch = await new Promise<FileSystemEntry[]>((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (batch.length === 0) return found;
    for (const inner of batch) found.push(...(await filesOf(inner)));
  }
}
