// The state of the disk of a store: whether it is writable, and how much is free. A failed fsync is never repeated,
// because the kernel may have dropped the pages: the store stays read-only until a restart.
import { randomBytes } from 'node:crypto';
import type * as fileSystem from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, StoreFull, type StoreSpace, type StoreState, StoreUnavailable } from '#server/domain/ports.ts';

/** The part of the file system that a disk store uses; tests inject faults. */
export type Files = Pick<
  typeof fileSystem,
  'mkdir' | 'open' | 'opendir' | 'rename' | 'stat' | 'statfs' | 'unlink' | 'writeFile'
>;

export interface DiskHealth {
  /** Throws when no upload may begin or continue. */
  assertWritable(): Promise<void>;
  /** Translates a file system error, and records it if it puts durability in doubt. */
  failed(error: unknown): StoreFull | StoreUnavailable;
  /** For a failed fsync: with any code, nothing may be written any more. */
  syncFailed(error: unknown): StoreUnavailable;
  state(): Promise<StoreState>;
  trouble(): string;
  space(): Promise<StoreSpace>;
}

/** The result of a check is cached this long. */
const checkCachedMs = 1000;

export function watchDisk(files: Files, dir: string, minFreeBytes: number, clock: Pick<Clock, 'now'>): DiskHealth {
  let doubt: string | null = null;
  let trouble = '';
  let look: { at: number; state: Promise<StoreState> } | null = null;

  async function freeBytes(): Promise<number> {
    const { bavail, bsize } = await files.statfs(dir);
    return bavail * bsize;
  }

  const littleRoom = (free: number) =>
    `${free} bytes are free in ${dir}, and WAYBILL_MIN_FREE_SPACE is ${minFreeBytes} bytes`;

  async function lookNow(): Promise<StoreState> {
    // A random name, because a slow check may overlap with the next one, and other machines check the same folder.
    const probe = join(dir, 'tmp', `probe-${randomBytes(8).toString('hex')}`);
    try {
      await files.writeFile(probe, 'x', { mode: 0o600 });
      await files.unlink(probe);
      const free = await freeBytes();
      trouble = free < minFreeBytes ? littleRoom(free) : '';
      return free < minFreeBytes ? 'no_uploads' : 'healthy';
    } catch (error) {
      trouble = error instanceof Error ? error.message : String(error);
      return stateByCode[codeOf(error)] ?? 'unreachable';
    }
  }

  return {
    async assertWritable() {
      if (doubt) throw new StoreUnavailable(doubt);
      const free = await freeBytes();
      if (free < minFreeBytes) throw new StoreFull(littleRoom(free));
    },
    failed(error) {
      const code = codeOf(error);
      if (code === 'ENOSPC' || code === 'EDQUOT') return new StoreFull(`the file system said ${code}`);
      if (code === 'EIO') doubt ??= 'the disk reported an input/output error';
      return new StoreUnavailable(`the file system said ${code}`);
    },
    syncFailed(error) {
      doubt ??= `a flush to disk failed with ${codeOf(error)}`;
      return new StoreUnavailable(doubt);
    },
    async state() {
      if (doubt) return 'read_only';
      const now = clock.now();
      if (!look || now - look.at >= checkCachedMs) look = { at: now, state: lookNow() };
      return look.state;
    },
    trouble: () => doubt ?? trouble,
    async space() {
      const { blocks, bavail, bsize } = await files.statfs(dir);
      return { usedBytes: (blocks - bavail) * bsize, totalBytes: blocks * bsize };
    },
  };
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

const stateByCode: Record<string, StoreState> = {
  ENOSPC: 'no_uploads',
  EDQUOT: 'no_uploads',
  EROFS: 'read_only',
  EACCES: 'read_only',
  EPERM: 'read_only',
  EIO: 'read_only',
};
