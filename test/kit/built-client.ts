// The client library as others get it: built into one file, which tests use in place of its sources.
import { join } from 'node:path';
import { build } from 'vite';
import { repositoryRoot } from '#scripts/source-files.ts';

/** The path of the module. */
export async function buildClient(folder: string): Promise<string> {
  const configFile = join(repositoryRoot, 'scripts', 'client.config.ts');
  await build({ configFile, build: { outDir: folder, emptyOutDir: false } });
  return join(folder, 'waybill.js');
}
