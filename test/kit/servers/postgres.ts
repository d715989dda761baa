// PostgreSQL on a free loopback port with its own cluster. Not durable: fsync and autovacuum are off.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Child, freePorts, startChild, untilReady, withOneRetry } from './child.ts';
import type { Requirement } from './packages.ts';

export interface Postgres {
  /** The maintenance database; suites create and drop their own databases from here. */
  url: string;
  /** Stops the server and its processes. */
  processes(): Promise<number[]>;
  /** After a stop, at the same address. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Settings of a primary with a standby: a commit waits for the standby. */
export const replicationSettings = {
  wal_level: 'replica',
  max_wal_senders: '4',
  hot_standby: 'on',
  synchronous_commit: 'on',
};

const run = promisify(execFile);
const debianRoot = '/usr/lib/postgresql';

/** The only role with a password; created by the test that needs it. */
export const roleWithPassword = 'with_password';

const settings: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_size: '256MB',
  max_wal_senders: '0',
  // A vacuum worker inside a template database would make CREATE DATABASE … TEMPLATE fail occasionally.
  autovacuum: 'off',
  jit: 'off',
  timezone: 'UTC',
};

export const postgresRequirement: Requirement = {
  name: 'PostgreSQL',
  debianPackages: ['postgresql'],
  isMet: () => findPrograms() !== null,
};

/** Creates a cluster below `folder`; resolves when it accepts connections. */
export async function startPostgres(folder: string, more: Record<string, string> = {}): Promise<Postgres> {
  const programs = findPrograms();
  if (!programs) throw new Error('PostgreSQL is not installed');
  const user = await serverUser();
  await mkdir(folder, { recursive: true });
  const dataFolder = join(folder, 'data');
  const owned = user ?? {};
  await mkdir(dataFolder, { mode: 0o700 });
  if (user) await chown(dataFolder, user.uid, user.gid);
  // Most installations sort text by language; a byte-wise order would hide queries that rely on it.
  const collation = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  const initdbArgs = ['-D', dataFolder, '--username=postgres', '--auth=trust', '--no-sync', ...collation];
  await run(join(programs, 'initdb'), initdbArgs, { ...owned, cwd: '/' });
  const rulesPath = join(dataFolder, 'pg_hba.conf');
  const rules = await readFile(rulesPath, 'utf8');
  await writeFile(rulesPath, `host all ${roleWithPassword} 127.0.0.1/32 scram-sha-256\n${rules}`);
  return withOneRetry(() => startServer({ programs, dataFolder, user, more }));
}

/** A standby of a running primary; promoted with `select pg_promote()`. */
export async function startStandby(folder: string, primary: Postgres): Promise<Postgres> {
  const programs = findPrograms()!;
  const user = await serverUser();
  await mkdir(folder, { recursive: true });
  const dataFolder = join(folder, 'data');
  await mkdir(dataFolder, { mode: 0o700 });
  if (user) await chown(dataFolder, user.uid, user.gid);
  const { hostname, port } = new URL(primary.url);
  const args = ['-h', hostname, '-p', port, '-U', 'postgres', '-D', dataFolder, '-R', '-X', 'stream', '--no-sync'];
  await run(join(programs, 'pg_basebackup'), [...args, '--checkpoint=fast'], { ...(user ?? {}), cwd: '/' });
  return withOneRetry(() => startServer({ programs, dataFolder, user, more: replicationSettings }));
}

interface ServerOptions {
  programs: string;
  dataFolder: string;
  user: { uid: number; gid: number } | undefined;
  more: Record<string, string>;
}

async function startServer(options: ServerOptions): Promise<Postgres> {
  const [port] = await freePorts(1);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server = await launch(options, port!, url);
  return {
    url,
    async processes() {
      const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      const stats = await Promise.all(names.map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')));
      const parentOf = (stat: string) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return [server.pid, ...names.map(Number).filter((_, index) => parentOf(stats[index]!) === server.pid)];
    },
    async start() {
      server = await launch(options, port!, url);
    },
    stop: () => server.stop(),
  };
}

async function launch({ programs, dataFolder, user, more }: ServerOptions, port: number, url: string): Promise<Child> {
  const flags = Object.entries({ ...settings, ...more, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const server: Child = await startChild({
    name: 'PostgreSQL',
    command: join(programs, 'postgres'),
    args: ['-D', dataFolder, ...flags],
    outputPath: `${dataFolder}.log`,
    cwd: '/',
    stopSignal: 'SIGINT', // SIGTERM would wait for every client
    lastSignal: 'SIGQUIT',
    ...(user ? { user } : {}),
  });
  try {
    await untilReady([server], () => selectOne(url), 240_000);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

export async function selectOne(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {}); // the failed connect below reports it
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await client.end().catch(() => {});
  }
}

/** The folder with initdb and postgres: the newest of Debian's, else the one on the PATH. */
function findPrograms(): string | null {
  const versions = existsSync(debianRoot) ? readdirSync(debianRoot) : [];
  const newestFirst = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(debianRoot, version, 'bin'));
  const onPath = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
  const isComplete = (folder: string) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name)));
  return [...newestFirst, ...onPath].find(isComplete) ?? null;
}

/** PostgreSQL refuses to run as root; Debian's package creates the user `postgres`. */
export async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
