// Saves typed text and file names until the server has accepted them.
import { isSameFile } from '../../../transfer/rules.ts';
import type { TextStorage } from '../../uploads/durable-storage.ts';

export interface FileIdentity {
  name: string;
  sizeBytes: number;
  modifiedAt: number | null;
}

export interface Draft {
  fields: Record<string, string>;
  files: FileIdentity[];
}

export interface DraftStore {
  read(): Draft;
  /** False if the upload URL has changed: its uploads no longer exist. */
  isOfThisAccess(): boolean;
  /** The upload URL of the stored draft. */
  access(): string | null;
  keepFields(fields: Record<string, string>): void;
  addFiles(files: FileIdentity[]): void;
  removeFile(file: FileIdentity): void;
  clear(): void;
}

interface Stored extends Draft {
  access: string;
  keptAt: number;
}

/** The server keeps unfinished uploads for as long. */
const lifetimeMs = 24 * 3_600_000;

/** `access` is the upload URL. */
export function createDraftStore(
  storage: TextStorage | null,
  name: string,
  access: string,
  now: () => number = Date.now,
): DraftStore {
  const stored = (): Stored | null => {
    try {
      const draft = JSON.parse(storage?.getItem(name) ?? 'null') as Stored | null;
      return draft !== null && now() - draft.keptAt < lifetimeMs ? draft : null;
    } catch {
      return null;
    }
  };
  const read = (): Draft => stored() ?? { fields: {}, files: [] };
  const write = ({ fields, files }: Draft) => {
    try {
      const isEmpty = files.length === 0 && Object.values(fields).every((value) => value === '');
      if (isEmpty) storage?.removeItem(name);
      else storage?.setItem(name, JSON.stringify({ fields, files, access, keptAt: now() } satisfies Stored));
    } catch {
      // Storage is full or forbidden.
    }
  };
  const without = (list: FileIdentity[], file: FileIdentity) => list.filter((other) => !isSameFile(other, file));
  return {
    read,
    isOfThisAccess: () => (stored()?.access ?? access) === access,
    access: () => stored()?.access ?? null,
    keepFields: (fields) => write({ ...read(), fields }),
    addFiles(added) {
      const draft = read();
      const others = added.reduce(without, draft.files);
      write({ ...draft, files: [...others, ...added.map(identity)] });
    },
    removeFile(file) {
      const draft = read();
      write({ ...draft, files: without(draft.files, file) });
    },
    clear: () => write({ fields: {}, files: [] }),
  };
}

function identity({ name, sizeBytes, modifiedAt }: FileIdentity): FileIdentity {
  return { name, sizeBytes, modifiedAt };
}

/** Not those filled by the server or by password managers. */
export function textFields(form: HTMLFormElement): (HTMLInputElement | HTMLTextAreaElement)[] {
  return [
    ...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('textarea, input[type=text], input[type=email]'),
  ];
}
