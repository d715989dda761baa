// Built files by path: on disk, or inside the executable (server/lib/program-files-embedded.ts).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export interface BuiltFiles {
  has(path: string): boolean;
  read(path: string): Buffer;
  /** Asynchronous. */
  readLater(path: string): Promise<Buffer>;
  /** Excludes subfolders. */
  names(folder: string): string[];
  load(path: string): Promise<unknown>;
}

export function filesOfFolder(folder: URL): BuiltFiles {
  const place = (path: string) => new URL(path, folder);
  return {
    has: (path) => existsSync(place(path)),
    read: (path) => readFileSync(place(path)),
    readLater: (path) => readFile(place(path)),
    names: (inner) => readdirSync(place(inner)),
    load: (path) => import(place(path).href),
  };
}
