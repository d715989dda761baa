// What people might run instead of us: PsiTransfer and rclone's WebDAV server, each a process of its own that `curl` sends a
// file to and fetches it from. Neither of them makes a checksum, encrypts or flushes.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '#scripts/source-files.ts';
import { freePorts, startChild, untilReady } from '#test/kit/servers/child.ts';
import { ensureInstalled, type Requirement } from '#test/kit/servers/packages.ts';
import type { Bench } from '../bench.ts';
import { curl, type Program } from '../programs.ts';

export interface Peer {
  /** Sends the file. */
  upload(path: string, bytes: number): Promise<Program>;
  /** Fetches what was sent last. */
  download(): Program;
  /** Forgets everything that was sent, in whatever way is quickest. */
  drop(): Promise<void> | void;
}

const rclone: Requirement = {
  name: 'rclone',
  debianPackages: ['rclone'],
  isMet: () => existsSync('/usr/bin/rclone'),
};

export async function startRclone(bench: Bench): Promise<Peer> {
  await ensureInstalled([rclone], bench.say);
  const folder = join(bench.folder, 'rclone');
  mkdirSync(folder, { recursive: true });
  const [port] = (await freePorts(1)) as [number];
  const child = await startChild({
    name: 'rclone',
    command: '/usr/bin/rclone',
    args: ['serve', 'webdav', folder, '--addr', `127.0.0.1:${port}`, '--config', '/dev/null'],
    outputPath: join(bench.folder, 'rclone.log'),
  });
  bench.atEnd(() => child.stop());
  const url = `http://127.0.0.1:${port}/file.bin`;
  await untilReady([child], async () => void (await fetch(`http://127.0.0.1:${port}/`)), 20_000);
  return {
    upload: async (path) => curl('-T', path, url),
    download: () => curl('-o', '/dev/null', url),
    drop: () => emptyFolder(folder),
  };
}

/** Its public name in the registry; a copy of its sources serves as well, see `--psitransfer`. */
const psiTransferPackage = 'psitransfer';

export async function startPsiTransfer(bench: Bench): Promise<Peer> {
  const program = await findPsiTransfer(bench);
  const folder = join(bench.folder, 'psitransfer');
  mkdirSync(folder, { recursive: true });
  const [port] = (await freePorts(1)) as [number];
  const settings = { UPLOAD_DIR: folder, PORT: String(port), IFACE: '127.0.0.1' };
  const child = await startChild({
    name: 'PsiTransfer',
    command: process.execPath,
    args: [join(program, 'app.js')],
    cwd: program,
    outputPath: join(bench.folder, 'psitransfer.log'),
    env: {
      ...process.env,
      NODE_ENV: 'production',
      ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`PSITRANSFER_${name}`, value])),
    },
  });
  bench.atEnd(() => child.stop());
  const base = `http://127.0.0.1:${port}`;
  await untilReady([child], async () => void (await fetch(`${base}/`)), 20_000);
  let url = '';
  return {
    async upload(path, bytes) {
      url = new URL(await beginTusUpload(base, bytes), base).href;
      const headers = ['Tus-Resumable: 1.0.0', 'Upload-Offset: 0', 'Content-Type: application/offset+octet-stream'];
      return curl('-X', 'PATCH', ...headers.flatMap((header) => ['-H', header]), '-T', path, url);
    },
    download: () => curl('-o', '/dev/null', url),
    drop: () => emptyFolder(folder),
  };
}

/** The address that takes the bytes. The bucket and how long it is kept are what its own page sends. */
async function beginTusUpload(base: string, bytes: number): Promise<string> {
  const metadata = { name: 'file.bin', sid: 'bench', retention: '3600' };
  const encoded = Object.entries(metadata).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`);
  const answer = await fetch(`${base}/files`, {
    method: 'POST',
    headers: { 'tus-resumable': '1.0.0', 'upload-length': String(bytes), 'upload-metadata': encoded.join(',') },
  });
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`PsiTransfer answered ${answer.status}: ${await answer.text()}`);
  return location;
}

/** The copy that the person names, or what the registry has, kept for the next run. */
async function findPsiTransfer(bench: Bench): Promise<string> {
  if (bench.psiTransferFolder !== null) return bench.psiTransferFolder;
  const prefix = join(repositoryRoot, 'node_modules/.cache/bench');
  const program = join(prefix, 'node_modules', psiTransferPackage);
  if (existsSync(join(program, 'app.js'))) return program;
  bench.say(`installing ${psiTransferPackage} below node_modules/.cache/bench`);
  mkdirSync(prefix, { recursive: true });
  const args = ['install', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  try {
    await promisify(execFile)('npm', [...args, psiTransferPackage], { timeout: 120_000 });
  } catch (error) {
    const [complaint] = /npm error (?:code )?E?\d{3}.*|npm error .*/.exec(String((error as Error).message)) ?? [];
    throw new Error(`PsiTransfer is not to be had from the registry (${complaint ?? 'npm failed'})`);
  }
  return program;
}

function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}
