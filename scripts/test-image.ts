// Builds the container image, unpacks it with skopeo and umoci, and starts its service like the compose file: with a
// read-only root, a volume that starts as /data of the image, and the user of the image.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, startChild, untilReady } from '#test/kit/servers/child.ts';
import { ensureInstalled } from '#test/kit/servers/packages.ts';
import { shareFirstFile } from './first-link.ts';
import { type ImageOptions, isProgram, makeImage } from './package-image.ts';

/** From `config.json` of an OCI bundle. */
interface Bundle {
  process: { args: string[]; env: string[]; cwd: string; user: { uid: number; gid: number } };
}

interface ImageConfig {
  os: string;
  config: { Labels: Record<string, string>; Healthcheck?: { Test: string[] } };
}

const startLimitMs = 240_000;
const enter = `set -e; cd "$0"; mount --make-rprivate /
  mkdir -p rootfs/proc rootfs/dev; cp -a rootfs/data volume
  mount --bind rootfs rootfs; mount -o remount,ro,bind rootfs
  mount --bind volume rootfs/data; mount -t tmpfs -o mode=1777 tmpfs rootfs/tmp
  mount -t proc proc rootfs/proc; mount --rbind /dev rootfs/dev
  exec chroot --userspec="$1" rootfs "$2" "$3"`;

export const imageTools = ['buildah', 'skopeo', 'umoci'].map((name) => ({
  name,
  debianPackages: [name],
  isMet: () => isProgram(name),
}));

export async function testImage(options: Omit<ImageOptions, 'outDir'>): Promise<void> {
  await ensureInstalled(imageTools, console.log);
  const work = mkdtempSync(join(tmpdir(), 'waybill-image-'));
  try {
    await serveImage(makeImage({ ...options, outDir: work })!, options.version, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Checks the labels and the health check of an image, and starts its service. */
export async function serveImage(path: string, version: string, work: string): Promise<void> {
  const archive = `docker-archive:${path}`;
  const inspected = execFileSync('skopeo', ['inspect', '--config', '--raw', archive], { encoding: 'utf8' });
  const { os, config } = JSON.parse(inspected) as ImageConfig;
  const [label, test] = [config.Labels['org.opencontainers.image.version'], config.Healthcheck?.Test];
  if (os !== 'linux' || label !== version) throw new Error('the image has wrong labels');
  if (test?.[0] !== 'CMD' || test.at(-1) !== 'health') throw new Error('the image has no health check');
  console.log('- skopeo reads the image');
  execFileSync('skopeo', ['copy', '--quiet', archive, `oci:${join(work, 'layout')}:image`]);
  const bundle = join(work, 'bundle');
  execFileSync('umoci', ['unpack', '--image', `${join(work, 'layout')}:image`, bundle], { stdio: 'ignore' });
  console.log('- umoci unpacks it');
  await serveFrom(bundle, test.slice(1));
  console.log('- its service starts as its own user with a read-only root, is healthy, and shares a first file');
}

async function serveFrom(bundle: string, healthCheck: string[]): Promise<void> {
  const config = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8')) as Bundle;
  const { args, env, user } = config.process;
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(join(bundle, 'output'));
  const settings = {
    ...Object.fromEntries(env.map((line) => line.split('=', 2))),
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    WAYBILL_LISTEN: `127.0.0.1:${port}`,
    WAYBILL_BASE_URL: url,
    WAYBILL_MIN_FREE_SPACE: '0',
  };
  const userId = `${user.uid}:${user.gid}`;
  const child = await startChild({
    name: 'the image',
    command: 'unshare',
    args: ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', enter, bundle, userId, ...args],
    outputPath: join(bundle, 'output', 'log'),
    env: settings,
  });
  try {
    const probe = async () => {
      const reply = await fetch(`${url}/readyz`);
      if (reply.status !== 200) throw new Error(await reply.text());
    };
    await untilReady([child], probe, startLimitMs);
    await shareFirstFile(`${url}/setup?token=${readFileSync(join(bundle, 'volume', 'setup-token'), 'utf8').trim()}`);
    const inside = ['--mount', `--target=${child.pid}`, 'chroot', `--userspec=${userId}`, join(bundle, 'rootfs')];
    execFileSync('nsenter', [...inside, ...healthCheck], { env: settings, stdio: ['ignore', 'ignore', 'inherit'] });
  } finally {
    await child.stop();
  }
}
