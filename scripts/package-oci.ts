// A container image as an OCI archive, written by hand: one layer with the libraries of Debian that the executable file
// needs, one with the file itself. Neither a registry nor a container program is asked (docs/adr/0088).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { debianNames } from './package-deb.ts';

export interface OciOptions {
  arch: string;
  version: string;
  executable: string;
  outDir: string;
}

const libraries = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'];
/** Any number does: nothing in the image belongs to it but the data folder. */
const userId = 10001;
/** What a container program does unless it is told otherwise. */
export const imageConfig = {
  User: `${userId}:${userId}`,
  ExposedPorts: { '8080/tcp': {} },
  Env: ['WAYBILL_DATA_DIR=/data', 'MALLOC_ARENA_MAX=2', 'PATH=/usr/bin'],
  Entrypoint: ['/usr/bin/waybill-server'],
  Cmd: ['start'],
  WorkingDir: '/data',
  Volumes: { '/data': {} },
};
/** What no program at run time reads. */
const notNeeded = ['usr/share', 'lib/*/gconv', 'usr/lib/*/gconv', 'usr/lib/*/audit', 'lib/*/audit'];

/** The path of the archive. */
export function makeOciArchive({ arch, version, executable, outDir }: OciOptions): string {
  const work = mkdtempSync(join(tmpdir(), 'waybill-oci-'));
  try {
    const layout = join(work, 'layout');
    mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
    const layers = [libraryLayer(work, debianNames[arch]!), programLayer(work, executable)];
    writeIndex(layout, layers, { arch: debianNames[arch]!, version });
    const path = join(outDir, `waybill-${version}-${debianNames[arch]}.oci.tar`);
    execFileSync('tar', [...plainTar, ...ownedBy(0), '-cf', path, '-C', layout, 'oci-layout', 'index.json', 'blobs']);
    return path;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Equal content gives equal archives. */
const plainTar = ['--sort=name', '--mtime=@0', '--numeric-owner', '--format=gnu'];

function libraryLayer(work: string, arch: string): Buffer {
  const root = join(work, 'libraries');
  const fetched = fetchDebs(join(work, 'apt'), arch);
  mkdirSync(root);
  for (const path of fetched) execFileSync('dpkg-deb', ['-x', path, root]);
  execFileSync('sh', ['-c', `rm -rf ${notNeeded.join(' ')}`], { cwd: root });
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(
    join(root, 'etc/passwd'),
    `root:x:0:0::/:/sbin/nologin\nwaybill:x:${userId}:${userId}::/data:/sbin/nologin\n`,
  );
  writeFileSync(join(root, 'etc/group'), `root:x:0:\nwaybill:x:${userId}:\n`);
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  mkdirSync(join(root, 'tmp'));
  chmodSync(join(root, 'tmp'), 0o1777);
  return execFileSync('tar', [...plainTar, ...ownedBy(0), '-c', '-C', root, '.'], { maxBuffer: 2 ** 30 });
}

/** From the machine's own sources of packages, for any kind of processor, in a state of its own. */
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
  const run = (...args: string[]) =>
    execFileSync('apt-get', [...options, ...args], {
      cwd: join(folder, 'debs'),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  run('update');
  run('download', ...libraries);
  return readdirSync(join(folder, 'debs')).map((name) => join(folder, 'debs', name));
}

function programLayer(work: string, executable: string): Buffer {
  const root = join(work, 'program');
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  cpSync(executable, join(root, 'usr/bin/waybill-server'));
  chmodSync(join(root, 'usr/bin/waybill-server'), 0o755);
  symlinkSync('waybill-server', join(root, 'usr/bin/waybill'));
  const layer = join(work, 'program.tar');
  execFileSync('tar', [...plainTar, ...ownedBy(0), '-cf', layer, '-C', root, '.']);
  // A new volume begins as this folder. Orchestrators that choose a user id choose group 0; everybody else must not be let
  // in, or the server refuses the folder.
  mkdirSync(join(root, 'data'));
  execFileSync('tar', [...plainTar, ...ownedBy(userId), '--mode=0770', '-rf', layer, '-C', root, './data']);
  return readFileSync(layer);
}

function ownedBy(user: number): string[] {
  return [`--owner=${user}`, '--group=0'];
}

function writeIndex(layout: string, layers: Buffer[], { arch, version }: { arch: string; version: string }): void {
  const put = (mediaType: string, content: Buffer | string) => {
    const digest = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(layout, 'blobs/sha256', digest), content);
    return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(content) };
  };
  const type = (name: string) => `application/vnd.oci.image.${name}`;
  const config = {
    architecture: arch,
    os: 'linux',
    config: {
      ...imageConfig,
      Labels: { 'org.opencontainers.image.title': 'waybill', 'org.opencontainers.image.version': version },
    },
    rootfs: {
      type: 'layers',
      diff_ids: layers.map((layer) => `sha256:${createHash('sha256').update(layer).digest('hex')}`),
    },
    history: [{ created_by: 'libraries of Debian' }, { created_by: 'waybill' }],
  };
  const manifest = {
    schemaVersion: 2,
    mediaType: type('manifest.v1+json'),
    config: put(type('config.v1+json'), JSON.stringify(config)),
    layers: layers.map((layer) => put(type('layer.v1.tar+gzip'), gzipSync(layer, { level: 6 }))),
  };
  const entry = {
    ...put(type('manifest.v1+json'), JSON.stringify(manifest)),
    platform: { architecture: arch, os: 'linux' },
    annotations: { 'org.opencontainers.image.ref.name': `waybill:${version}` },
  };
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(
    join(layout, 'index.json'),
    JSON.stringify({ schemaVersion: 2, mediaType: type('index.v1+json'), manifests: [entry] }),
  );
}
