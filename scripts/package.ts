// `npm run package`: Debian packages and container images of the executable files in dist/binary, into dist/packages with these
// files, their checksums and install.sh.
// Options: `--arch x64`, `arm64` or `all` (default), `--only deb` or `image`. Images need buildah or podman.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { makeDeb } from './package-deb.ts';
import { makeImage } from './package-image.ts';
import { repositoryRoot } from './source-files.ts';

const makers = { deb: makeDeb, image: makeImage };
const { values } = parseArgs({ options: { arch: { type: 'string', default: 'all' }, only: { type: 'string' } } });
const outDir = join(repositoryRoot, 'dist', 'packages');
mkdirSync(outDir, { recursive: true });
for (const arch of values.arch === 'all' ? ['x64', 'arm64'] : [values.arch]) {
  const executable = join(repositoryRoot, 'dist', 'binary', `waybill-server-linux-${arch}`);
  if (!existsSync(executable)) throw new Error(`${executable} is missing: npm run build:binary -- --arch ${arch}`);
  copyFileSync(executable, join(outDir, basename(executable)));
  for (const [kind, make] of Object.entries(makers)) {
    if (values.only !== undefined && values.only !== kind) continue;
    const path = make({ arch, version: manifest.version, executable, outDir });
    if (path === null) console.log('no container image: install buildah or podman');
    else console.log(`${path}: ${(statSync(path).size / 1e6).toFixed(1)} MB`);
  }
}
copyFileSync(join(repositoryRoot, 'packaging', 'install.sh'), join(outDir, 'install.sh'));
const sums = readdirSync(outDir)
  .filter((name) => name !== 'SHA256SUMS')
  .map((name) => {
    const sum = createHash('sha256').update(readFileSync(join(outDir, name)));
    return `${sum.digest('hex')}  ${name}\n`;
  });
writeFileSync(join(outDir, 'SHA256SUMS'), sums.join(''));
