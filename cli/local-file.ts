// A file of this machine as something the transfer engine can send.
import { statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { sep } from 'node:path';
import type { FileSource } from '../transfer/ports.ts';

export interface LocalFile extends FileSource {
  path: string;
  close(): Promise<void>;
}

export function localFile(path: string, name: string): LocalFile {
  const { size, mtimeMs } = statSync(path);
  let handle: Promise<FileHandle> | null = null;
  return {
    path,
    name: sep === '/' ? name : name.replaceAll(sep, '/'),
    sizeBytes: size,
    modifiedAt: Math.round(mtimeMs),
    contentType: '',
    async read(start, end) {
      handle ??= open(path, 'r');
      const file = await handle;
      const now = await file.stat();
      // A file that was written to in the meantime would arrive as a mixture of both.
      if (now.size !== size || Math.round(now.mtimeMs) !== Math.round(mtimeMs)) throw new Error('the file has changed');
      const bytes = new Uint8Array(end - start);
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled === bytes.length ? bytes : bytes.slice(0, filled);
    },
    async close() {
      await (await handle)?.close();
      handle = null;
    },
  };
}
