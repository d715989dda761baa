// Files that come with the program, by their path below one folder. They are on disk, or inside the one executable file
// (server/lib/places-inside.ts), and whoever reads them need not know which.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export interface BuiltFiles {
  has(path: string): boolean;
  read(path: string): Buffer;
  /** Without keeping the process waiting. */
  readLater(path: string): Promise<Buffer>;
  /** What is in a folder, folders inside it left out or not. */
  names(folder: string): string[];
  /** A script, run. */
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
