// Part of `npm run test:package`: builds packaging/Containerfile from the committed sources. The base image, which a registry
// usually supplies, is a Debian of debootstrap with the npm of this machine.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureInstalled } from '#test/kit/servers/packages.ts';
import { isProgram } from './package-image.ts';
import { repositoryRoot } from './source-files.ts';
import { imageTools, serveImage } from './test-image.ts';

const run = (command: string, args: string[]) =>
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], maxBuffer: 2 ** 30 });

export async function testSourceImage(version: string): Promise<void> {
  const names = ['debootstrap', 'buildah'];
  await ensureInstalled(
    [...imageTools, ...names.map((name) => ({ name, debianPackages: [name], isMet: () => isProgram(name) }))],
    console.log,
  );
  const work = mkdtempSync(join(tmpdir(), 'waybill-source-image-'));
  const base = `localhost/waybill-test-base:${process.pid}`;
  try {
    makeBase(work, base);
    const sources = join(work, 'sources');
    mkdirSync(sources);
    const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: repositoryRoot, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', sources], { input: archive });
    const path = join(work, 'image.tar');
    const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
    run('buildah', [
      ...['build', '--isolation', 'chroot', '--pull-never', '--format', 'docker', '--network', 'host'],
      ...['--volume', `${cache}:/var/cache/npm`, '--volume', '/etc/ssl/certs:/etc/ssl/certs:ro'],
      ...['--build-arg', `BASE=${base}`, '--build-arg', `VERSION=${version}`],
      ...['--file', join(sources, 'packaging', 'Containerfile'), '--tag', `docker-archive:${path}:waybill:${version}`],
      sources,
    ]);
    console.log('- buildah builds the image from the sources');
    await serveImage(path, version, work);
  } finally {
    execFileSync('sh', ['-c', `buildah rmi ${base} > /dev/null 2>&1 || true`]);
    rmSync(work, { recursive: true, force: true });
  }
}

function makeBase(work: string, tag: string): void {
  const root = join(work, 'base');
  run('debootstrap', ['--variant=minbase', '--include=ca-certificates,libatomic1', 'bookworm', root]);
  // Device files cannot be copied into an image, and every container has its own.
  for (const name of ['dev', 'proc', 'sys']) {
    rmSync(join(root, name), { recursive: true, force: true });
    mkdirSync(join(root, name));
  }
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())));
  cpSync(npm, join(root, 'usr/lib/node_modules/npm'), { recursive: true });
  cpSync(realpathSync(process.execPath), join(root, 'usr/bin/node'));
  for (const name of ['npm', 'npx']) {
    const path = join(root, 'usr/bin', name);
    if (!existsSync(path)) execFileSync('ln', ['-s', `../lib/node_modules/npm/bin/${name}-cli.js`, path]);
  }
  // Packages and certificate authorities of this machine. The option --env of buildah reaches only the last stage.
  const authorities = '/etc/ssl/certs/ca-certificates.crt';
  const npmSettings = `npm_config_cache=/var/cache/npm npm_config_prefer_offline=true npm_config_cafile=${authorities}`;
  const environment = `NODE_EXTRA_CA_CERTS=${authorities} ${npmSettings}`;
  writeFileSync(join(work, 'Basefile'), `FROM scratch\nCOPY . /\nENV ${environment}\n`);
  run('buildah', ['build', '--file', join(work, 'Basefile'), '--tag', tag, root]);
}
