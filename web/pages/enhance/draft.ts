// What somebody typed and added on this page, kept in this browser until the server has taken it: a reload, a crash or a
// closed tab loses nothing. Files themselves can't be kept, only what they are called; see ../../uploads/saved-uploads.ts for
// what has been sent of them.
import { isSameFile } from '../../../transfer/rules.ts';

export interface KnownFile {
  name: string;
  sizeBytes: number;
  modifiedAt: number | null;
}

export interface Draft {
  fields: Record<string, string>;
  /** Every file that was added, in order, whether or not anything of it has been sent. */
  files: KnownFile[];
}

export interface DraftStore {
  read(): Draft;
  /** False: what was sent under an earlier address of the server is not there any more. */
  isOfThisAccess(): boolean;
  keepFields(fields: Record<string, string>): void;
  addFiles(files: KnownFile[]): void;
  removeFile(file: KnownFile): void;
  clear(): void;
}

interface Stored extends Draft {
  access: string;
  keptAt: number;
}

/** As long as the server keeps unfinished uploads. */
const lifetimeMs = 24 * 3_600_000;

/** `access` is where files are sent to; it changes when the server has handed out another key. */
export function createDraftStore(
  storage: Storage | null,
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
      // Full or forbidden: then nothing is kept.
    }
  };
  const without = (list: KnownFile[], file: KnownFile) => list.filter((other) => !isSameFile(other, file));
  return {
    read,
    isOfThisAccess: () => (stored()?.access ?? access) === access,
    keepFields: (fields) => write({ ...read(), fields }),
    addFiles(added) {
      const draft = read();
      const others = added.reduce(without, draft.files);
      write({ ...draft, files: [...others, ...added.map(knownFile)] });
    },
    removeFile(file) {
      const draft = read();
      write({ ...draft, files: without(draft.files, file) });
    },
    clear: () => write({ fields: {}, files: [] }),
  };
}

function knownFile({ name, sizeBytes, modifiedAt }: KnownFile): KnownFile {
  return { name, sizeBytes, modifiedAt };
}

/** Everything people type; never what the server put in or what the browser keeps for itself. */
export function textFields(form: HTMLFormElement): (HTMLInputElement | HTMLTextAreaElement)[] {
  return [
    ...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('textarea, input[type=text], input[type=email]'),
  ];
}
