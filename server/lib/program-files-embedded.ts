// Replaces `program-files.ts` in the executable file, where files are assets (scripts/build-binary.ts).
import type { ClusterSettings } from 'node:cluster';
import { getAsset, getAssetKeys, getRawAsset } from 'node:sea';
import type { BuiltFiles } from '#web/built-files.ts';

const keys = new Set(getAssetKeys());

function filesBelow(prefix: string, load: BuiltFiles['load']): BuiltFiles {
  // Not a copy: the bytes are memory-mapped and must not be written to.
  const read = (path: string) => Buffer.from(getRawAsset(prefix + path) as ArrayBuffer);
  return {
    has: (path) => keys.has(prefix + path),
    read,
    readLater: async (path) => read(path),
    names: (folder) =>
      [...keys]
        .filter((key) => key.startsWith(`${prefix}${folder}/`))
        .map((key) => key.slice(prefix.length + folder.length + 1)),
    load,
  };
}

const nothingToLoad = (path: string) => Promise.reject(new Error(`${path} is no script of this program`));

export const shipped: BuiltFiles = filesBelow('', nothingToLoad);

export function builtFiles(name: 'pages' | 'app' | 'cli-file' | 'docs'): BuiltFiles {
  // @ts-expect-error: written by the build. Part of the program here: nothing is imported from outside of the file.
  const loadPages = () => import('../../dist/pages/entry.js');
  return filesBelow(`dist/${name}/`, name === 'pages' ? loadPages : nothingToLoad);
}

/** The code itself, which imports only Node modules: there is no file for a thread. */
export function threadScript(path: string): URL {
  return new URL(`data:text/javascript;base64,${Buffer.from(getAsset(`threads/${path}`)).toString('base64')}`);
}

/** The executable already has Node's options; its arguments are the command. */
export const workerSettings: ClusterSettings = { exec: 'start', args: [], execArgv: [] };

export function assertBuilt(): void {}
