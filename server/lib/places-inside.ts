// `places.ts` for the one executable file: everything the program reads besides its own code is an asset inside it, by its
// path in the repository (scripts/build-binary.ts). `scripts/binary.config.ts` puts this module in the place of the other.
import type { ClusterSettings } from 'node:cluster';
import { getAsset, getAssetKeys, getRawAsset } from 'node:sea';
import type { BuiltFiles } from '#web/built-files.ts';

const keys = new Set(getAssetKeys());

function filesBelow(prefix: string, load: BuiltFiles['load']): BuiltFiles {
  // Not a copy: the bytes stay where the system mapped them. They must not be written to.
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

export function builtFiles(name: 'pages' | 'app'): BuiltFiles {
  // @ts-expect-error: written by the build. Part of the program here: nothing is imported from outside of the file.
  const loadPages = () => import('../../dist/pages/entry.js');
  return filesBelow(`dist/${name}/`, name === 'pages' ? loadPages : nothingToLoad);
}

/** The code itself: a thread has no file to start from. It imports nothing but what Node has. */
export function threadScript(path: string): URL {
  return new URL(`data:text/javascript;base64,${Buffer.from(getAsset(`threads/${path}`)).toString('base64')}`);
}

/** The file itself is the program and knows the options of Node already: what follows its name is the command. */
export const workerSettings: ClusterSettings = { exec: 'start', args: [], execArgv: [] };

/** Everything is inside. */
export function assertBuilt(): void {}
