// The client library built into one file, as others receive it.
import { join } from 'node:path';
import { build } from 'vite';
import { repositoryRoot } from '#scripts/source-files.ts';

export async function buildClient(folder: string): Promise<string> {
  const configFile = join(repositoryRoot, 'scripts', 'client.config.ts');
  await build({ configFile, build: { outDir: folder, emptyOutDir: false } });
  return join(folder, 'waybill.js');
}
