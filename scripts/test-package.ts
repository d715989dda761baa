// `npm run test:package`: installs, upgrades, removes and purges the Debian package in a clean root (packaging/clean-root.sh) and
// uses its service; then tests an installation from the sources, the page about the first link, and the container images. Needs root on Debian.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { freePorts } from '../test/kit/servers/child.ts';
import { makeDeb } from './package-deb.ts';
import { repositoryRoot } from './source-files.ts';
import { testFirstLink } from './test-first-link.ts';
import { testImage } from './test-image.ts';
import { testInstall } from './test-install.ts';
import { testSourceImage } from './test-source-image.ts';

const { arch } = process;
const executable = join(repositoryRoot, 'dist', 'binary', `waybill-server-linux-${arch}`);
const packaging = join(repositoryRoot, 'packaging');
const given = mkdtempSync(join(tmpdir(), 'waybill-given-'));
try {
  // There is no earlier release: the same files with a lower version.
  const [before, now] = [`${manifest.version}~before`, manifest.version].map((version) =>
    basename(makeDeb({ arch, version, executable, outDir: given, isCompressed: false })),
  );
  copyFileSync(join(packaging, 'try-deb.sh'), join(given, 'try-deb.sh'));
  const [port] = await freePorts(1);
  const command = ['/given/try-deb.sh', `/given/${before}`, `/given/${now}`, String(port)];
  const cleanRoot = [join(packaging, 'clean-root.sh'), given, ...command];
  execFileSync('unshare', ['--mount', '--pid', '--fork', '--kill-child', ...cleanRoot], { stdio: 'inherit' });
} finally {
  rmSync(given, { recursive: true, force: true });
}
const [port] = await freePorts(1);
await testInstall(port!);
await testFirstLink(executable);
await testImage({ arch, version: manifest.version, executable });
await testSourceImage(manifest.version);
