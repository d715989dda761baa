// An unfinished download: a part file, and a note of its durable blocks. After a power
// cut the note may list too few blocks, never too many.
import { constants, existsSync, lstatSync, readFileSync, rmSync, type Stats } from 'node:fs';
import { type FileHandle, link, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Failure, localFailure } from './failures.ts';
import { partOf } from './file-names.ts';
import { syncFolder, writePrivate } from './private-file.ts';

export interface PartFile {
  file: FileHandle;
  has(block: number): boolean;
  /** Lists a written block in the note as soon as it is durable. */
  add(block: number): void;
  /** Resolves when the note lists all added blocks. */
  settle(): Promise<void>;
  /** Gives the whole file its name; replaces another file only if `mayReplace`. */
  finish(mayReplace: boolean): Promise<void>;
  remove(): void;
}

/** Must be unchanged for a part file to be resumed. */
export interface Version {
  etag: string;
  sizeBytes: number;
  blockBytes: number;
}

interface Note extends Version {
  blocks: number[];
}

export async function openPart(path: string, version: Version): Promise<PartFile> {
  const part = partOf(path);
  const notePath = `${part}.json`;
  const note = readNote(notePath);
  const found = findEntry(part);
  if (found !== null && (note === null || !found.isFile())) throw foreign(part);
  const isContinued = found !== null && note !== null && isSame(note, version);
  const blocks = new Set(isContinued ? note.blocks : []);
  const writeNote = (isLasting: boolean) =>
    writePrivate(notePath, JSON.stringify({ ...version, blocks: [...blocks] } satisfies Note), { isLasting });
  if (!isContinued) {
    rmSync(part, { force: true });
    // First, because a part file without a note belongs to someone else.
    writeNote(true);
  }
  const file = await open(part, isContinued ? continuing : creating, 0o600);
  const claims = createClaims(file, (written) => {
    for (const block of written) blocks.add(block);
    writeNote(false);
  });
  return {
    file,
    has: (block) => blocks.has(block),
    add: claims.add,
    settle: claims.settle,
    async finish(mayReplace) {
      await file.sync();
      await moveTo(part, path, mayReplace);
      syncFolder(dirname(path));
      rmSync(notePath, { force: true });
    },
    remove() {
      rmSync(part, { force: true });
      rmSync(notePath, { force: true });
    },
  };
}

// Windows has no O_NOFOLLOW.
const noFollow = constants.O_NOFOLLOW ?? 0;
const continuing = constants.O_RDWR | noFollow;
const creating = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | noFollow;

function isSame(note: Note, { etag, sizeBytes, blockBytes }: Version): boolean {
  return etag !== '' && note.etag === etag && note.sizeBytes === sizeBytes && note.blockBytes === blockBytes;
}

/** Syncs the file while blocks arrive, and lists what was written before each sync. */
function createClaims(file: FileHandle, claim: (blocks: readonly number[]) => void): Pick<PartFile, 'add' | 'settle'> {
  let written: number[] = [];
  let running: Promise<void> | null = null;
  let failure: unknown = null;
  const run = async () => {
    while (written.length > 0) {
      const blocks = written;
      written = [];
      await file.datasync();
      claim(blocks);
    }
  };
  return {
    add(block) {
      written.push(block);
      running ??= run()
        .catch((error: unknown) => {
          failure ??= error;
        })
        .finally(() => {
          running = null;
        });
    },
    async settle() {
      await running;
      if (failure !== null) throw failure;
    },
  };
}

/** Also finds broken links; null if there is no entry. */
export function findEntry(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

/** Null if missing or empty (after a power cut); throws for a file of another program. */
function readNote(path: string): Note | null {
  const nothing: Note = { etag: '', sizeBytes: 0, blockBytes: 0, blocks: [] };
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'utf8');
  if (text === '') return nothing;
  try {
    const note = JSON.parse(text) as Partial<Note>;
    if (Array.isArray(note.blocks) && typeof note.etag === 'string') return note as Note;
  } catch {
    // Refused below.
  }
  throw foreign(path);
}

function foreign(path: string): Failure {
  return localFailure(
    `${path} is there already, and is not the rest of this download`,
    'file.exists',
    'Move it away, or choose another --output.',
  );
}

export function alreadyThere(path: string): Failure {
  return localFailure(
    `${path} is there already`,
    'file.exists',
    'Move it away, choose another --output, or add --force.',
  );
}

async function moveTo(part: string, path: string, mayReplace: boolean): Promise<void> {
  if (!mayReplace) {
    try {
      // Unlike `rename` this never replaces a file.
      await link(part, path);
      rmSync(part);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST' || findEntry(path) !== null) throw alreadyThere(path);
      // A file system without hard links.
    }
  }
  await rename(part, path);
  rmSync(part, { force: true });
}
