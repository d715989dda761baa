// Loads the built web app (docs/adr/0026).
import { type BuiltFiles, filesOfFolder } from '../built-files.ts';
import { type Encoding, encodings, suffixes } from '../encodings.ts';

export interface AppAsset {
  contentType: string;
  /** Compressed if that variant exists. */
  read(encoding: Encoding | null): Promise<Buffer>;
  encodings: Encoding[];
}

export interface BuiltApp {
  /** index.html with `{{name}}` placeholders. */
  shell: string;
  /** By file name, such as `main-4f2a.js`. */
  assets: ReadonlyMap<string, AppAsset>;
  /** Scripts that a source file needs in addition to the shell. */
  scriptsOf(source: string): string[];
}

const contentTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
  woff2: 'font/woff2',
};

export function loadApp(files: BuiltFiles = filesOfFolder(new URL('../../dist/app/', import.meta.url))): BuiltApp {
  const names = new Set(files.names('assets'));
  const assets = new Map<string, AppAsset>();
  for (const name of names) {
    const contentType = contentTypes[name.split('.').at(-1) ?? ''];
    if (contentType === undefined) continue;
    assets.set(name, {
      contentType,
      encodings: encodings.filter((encoding) => names.has(name + suffixes[encoding])),
      read: (encoding) => files.readLater(`assets/${name}${encoding === null ? '' : suffixes[encoding]}`),
    });
  }
  const shell = files.read('index.html').toString();
  const manifest = JSON.parse(files.read('.vite/manifest.json').toString()) as Manifest;
  const scriptsOf = (source: string) =>
    [...filesOf(manifest, source)].map((file) => file.replace('assets/', '')).filter((name) => !shell.includes(name));
  return { shell, assets, scriptsOf };
}

/** By source file, or by `_` and the name of a shared chunk. */
type Manifest = Record<string, { file: string; imports?: string[] }>;

function filesOf(manifest: Manifest, source: string, found = new Set<string>()): Set<string> {
  const entry = manifest[source];
  if (entry === undefined || found.has(entry.file)) return found;
  found.add(entry.file);
  for (const one of entry.imports ?? []) filesOf(manifest, one, found);
  return found;
}
