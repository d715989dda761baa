// A container image as an OCI archive, from packaging/Containerfile with buildah or podman, without a registry (docs/adr/0088).
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianNames } from './package-deb.ts';
import { repositoryRoot } from './source-files.ts';

export interface ImageOptions {
  arch: string;
  version: string;
  executable: string;
  outDir: string;
}

const libraries = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'];
const unusedFolders = ['usr/share', 'lib/*/gconv', 'usr/lib/*/gconv', 'usr/lib/*/audit', 'lib/*/audit'];

/** The path of the archive; null if neither buildah nor podman is installed. */
export function makeImage({ arch, version, executable, outDir }: ImageOptions): string | null {
  const tool = ['buildah', 'podman'].find(isProgram);
  if (tool === undefined) return null;
  const context = mkdtempSync(join(tmpdir(), 'waybill-image-'));
  try {
    const debianArch = debianNames[arch]!;
    prepareRoot(context, debianArch, executable);
    mkdirSync(join(context, 'data'));
    chmodSync(join(context, 'data'), 0o770);
    const path = join(outDir, `waybill-${version}-${debianArch}.oci.tar`);
    const file = join(repositoryRoot, 'packaging', 'Containerfile');
    const options = ['--format', 'oci', '--arch', debianArch, '--timestamp', '0', '--build-arg', `VERSION=${version}`];
    const tag = `oci-archive:${path}:waybill:${version}`;
    execFileSync(tool, ['build', ...options, '--file', file, '--tag', tag, context], { stdio: 'inherit' });
    return path;
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}

function prepareRoot(context: string, debianArch: string, executable: string): void {
  const root = join(context, 'root');
  mkdirSync(join(root, 'etc'), { recursive: true });
  for (const path of fetchDebs(join(context, 'apt'), debianArch)) execFileSync('dpkg-deb', ['-x', path, root]);
  execFileSync('sh', ['-c', `rm -rf ${unusedFolders.join(' ')}`], { cwd: root });
  const users = ['root:x:0:0::/:/sbin/nologin', 'waybill:x:10001:10001::/data:/sbin/nologin', ''];
  writeFileSync(join(root, 'etc/passwd'), users.join('\n'));
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nwaybill:x:10001:\n');
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  mkdirSync(join(root, 'tmp'));
  chmodSync(join(root, 'tmp'), 0o1777);
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  copyFileSync(executable, join(root, 'usr/bin/waybill-server'));
  chmodSync(join(root, 'usr/bin/waybill-server'), 0o755);
  symlinkSync('waybill-server', join(root, 'usr/bin/waybill'));
}

/** From the package sources of this machine, for any architecture, in a separate apt state. */
function fetchDebs(folder: string, arch: string): string[] {
  for (const inner of ['state/lists/partial', 'cache/archives/partial', 'debs'])
    mkdirSync(join(folder, inner), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  const options = [
    `-oDir::State=${join(folder, 'state')}`,
    `-oDir::State::status=${join(folder, 'status')}`,
    `-oDir::Cache=${join(folder, 'cache')}`,
    `-oAPT::Architecture=${arch}`,
    `-oAPT::Architectures=${arch}`,
    '-oAPT::Sandbox::User=',
    '-qq',
  ];
  const cwd = join(folder, 'debs');
  const run = (...args: string[]) =>
    execFileSync('apt-get', [...options, ...args], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  run('update');
  run('download', ...libraries);
  return readdirSync(cwd).map((name) => join(cwd, name));
}

export function isProgram(name: string): boolean {
  try {
    execFileSync('which', [name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
