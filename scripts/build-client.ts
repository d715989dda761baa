// `npm run build:client`: builds the client library as one file, and its types.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { repositoryRoot } from './source-files.ts';

const types = join(repositoryRoot, 'dist', 'client', 'types');
await build({ configFile: join(repositoryRoot, 'scripts', 'client.config.ts') });
// The options of tsconfig.json, for this entry only.
const options = [
  '--ignoreConfig --declaration --emitDeclarationOnly --skipLibCheck --strict --target es2024 --lib es2024,dom,dom.iterable',
  '--module nodenext --moduleResolution nodenext --allowImportingTsExtensions',
  '--types node --outDir dist/client/types --rootDir .',
].join(' ');
execFileSync(join(repositoryRoot, 'node_modules', '.bin', 'tsc'), [...options.split(' '), 'client/waybill.ts'], {
  cwd: repositoryRoot,
  stdio: 'inherit',
});
// The compiler leaves `.ts` in the import paths of declarations.
for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const path = join(types, name);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/(from |import\()(["'][^"']+)\.ts(["'])/g, '$1$2.js$3'));
}
console.log('dist/client/waybill.js and its types are built');
