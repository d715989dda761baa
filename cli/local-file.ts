// A local file as a source for the transfer engine.
import { readSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { sep } from 'node:path';
import type { FileSource } from '../transfer/ports.ts';

export interface LocalFile extends FileSource {
  path: string;
  close(): Promise<void>;
}

type Portion = Uint8Array<ArrayBuffer>;

/**
 * Of a body that is read while it is sent. So much stays in the cache of the processor from the reading over the checksum to
 * the sending, and the system reads ahead: a thread that does so in larger portions costs a seventh more.
 */
const portionBytes = 256 * 1024;

const mostSpare = 3;

export function localFile(path: string, name: string): LocalFile {
  const { size, mtimeMs } = statSync(path);
  let handle: Promise<FileHandle> | null = null;
  // New buffers for each chunk would pile up faster than they are collected (198 MB).
  const spare: Portion[] = [];
  const portions: Portion[] = [];
  // A file changed during the upload would arrive as a mixture.
  const assertSame = async (file: FileHandle) => {
    const now = await file.stat();
    if (now.size !== size || Math.round(now.mtimeMs) !== Math.round(mtimeMs)) throw new Error('the file has changed');
  };
  return {
    path,
    name: sep === '/' ? name : name.replaceAll(sep, '/'),
    sizeBytes: size,
    modifiedAt: Math.round(mtimeMs),
    contentType: '',
    async read(start, end) {
      handle ??= open(path, 'r');
      const file = await handle;
      await assertSame(file);
      const at = spare.findIndex(({ length }) => length === end - start);
      const bytes = at === -1 ? new Uint8Array(end - start) : spare.splice(at, 1)[0]!;
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled === bytes.length ? bytes : bytes.slice(0, filled);
    },
    release: (bytes) => void (spare.length < mostSpare && spare.push(bytes)),
    async *stream(start, end) {
      handle ??= open(path, 'r');
      const file = await handle;
      await assertSame(file);
      yield* portionsOf({ file, start, end, assertSame: () => assertSame(file) }, portions);
    },
    async close() {
      await (await handle)?.close();
      handle = null;
    },
  };
}

interface Range {
  file: FileHandle;
  start: number;
  end: number;
  assertSame(): Promise<void>;
}

/** Uses two pooled buffers and does not return them when aborted: the socket may still hold them. */
async function* portionsOf({ file, start, end, assertSame }: Range, pool: Portion[]): AsyncGenerator<Portion> {
  let filling = pool.pop() ?? new Uint8Array(portionBytes);
  let next = pool.pop() ?? new Uint8Array(portionBytes);
  for (let at = start; at < end; ) {
    const bytesRead = readSync(file.fd, filling, 0, Math.min(filling.length, end - at), at);
    if (bytesRead === 0) throw new Error('the file has changed');
    const portion = filling.subarray(0, bytesRead);
    at += bytesRead;
    if (at === end) await assertSame();
    yield portion;
    [filling, next] = [next, filling];
  }
  if (pool.length === 0) pool.push(filling, next);
}
