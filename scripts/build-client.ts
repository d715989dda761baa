// `npm run build:client`: the client library as one file, and its types beside it.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'vite';
import { repositoryRoot } from './source-files.ts';

await build({ configFile: join(repositoryRoot, 'scripts', 'client.config.ts') });
// With the options of the repository, for this entry alone.
const options = [
  '--ignoreConfig --declaration --emitDeclarationOnly --skipLibCheck --strict --target es2024 --lib es2024,dom,dom.iterable',
  '--module nodenext --moduleResolution nodenext --allowImportingTsExtensions --rewriteRelativeImportExtensions',
  '--types node --outDir dist/client/types --rootDir .',
].join(' ');
execFileSync(join(repositoryRoot, 'node_modules', '.bin', 'tsc'), [...options.split(' '), 'client/waybill.ts'], {
  cwd: repositoryRoot,
  stdio: 'inherit',
});
console.log('dist/client/waybill.js and its types are built');
