// The server as a child process with its own process group and data folder: for tests of signals, crashes and restarts.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '#scripts/source-files.ts';
import { ApiClient } from './client.ts';
import type { Engine } from './engines.ts';
import { eventually } from './eventually.ts';
import { runInside } from './program-inside.ts';
import { serverProgram } from './server-program.ts';
import { type Child, type Exit, freePorts, startChild } from './servers/child.ts';

const adminKey = 'AdminKeyAdminKeyAdmin0';
/** A start takes seconds on a busy machine. */
const startLimitMs = 240_000;

/** One installation, started and ended as often as a test likes. */
export interface Installation {
  url: string;
  environment: Record<string, string>;
  admin: ApiClient;
  start(options?: StartOptions): Promise<Program>;
  /** Runs a command of the operator to its end; as another user only if we are root. */
  run(
    args: string[],
    environment?: Record<string, string>,
    user?: { uid: number; gid: number },
  ): Promise<{ code: number; output: string; errors: string }>;
  /** The same in this process, see `runInside`. */
  runInside(args: string[], environment?: Record<string, string>): ReturnType<Installation['run']>;
  drop(): Promise<void>;
}

export interface StartOptions {
  environment?: Record<string, string>;
  /** As people start it, instead of the server alone. */
  byNpm?: boolean;
  /** False: the start is expected to fail. */
  waits?: boolean;
  /** Another version of the program than the built one. */
  sources?: Sources;
  /** Runs a command instead of serving. */
  command?: 'migrate';
  /** Listens here, for a second process of the same installation. */
  port?: number;
}

export interface Sources {
  folder: string;
  /** Arguments for Node, before the command. */
  args: string[];
}

export interface Program {
  child: Child;
  /** Its process group: npm, shell, supervisor, workers. */
  members(): Promise<ProcessFacts[]>;
  /** To the program alone. */
  signal(signal: NodeJS.Signals): void;
  /** To the whole group, as a terminal or a power cut does. */
  signalAll(signal: NodeJS.Signals): void;
  exited: Promise<Exit>;
  output(): string;
}

export interface ProcessFacts {
  pid: number;
  parent: number;
  command: string;
  residentBytes: number;
}

export async function createInstallation(
  engine: Engine,
  environment: Record<string, string> = {},
): Promise<Installation> {
  const place = await engine.create();
  const logs = await mkdtemp(join(tmpdir(), 'waybill-program-'));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    WAYBILL_LISTEN: `127.0.0.1:${port}`,
    WAYBILL_BASE_URL: url,
    WAYBILL_WORKERS: '2',
    WAYBILL_API_RATE: '0',
    WAYBILL_MIN_FREE_SPACE: '0',
    WAYBILL_LOG_FORMAT: 'json',
    WAYBILL_METRICS_LISTEN: 'off',
    WAYBILL_ADMIN_EMAIL: 'root@example.com',
    WAYBILL_ADMIN_API_KEY: adminKey,
    ...place.environment,
    ...environment,
  };
  const children: Child[] = [];
  // Keeps compiled code, because these tests start the server often.
  const compiled = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(logs, 'compiled') };
  return {
    url,
    environment: settings,
    admin: new ApiClient(url, adminKey, 'root@example.com'),
    async start({ environment: more = {}, byNpm = false, waits = true, port: other, ...options } = {}) {
      const { folder: cwd, args } = options.sources ?? { folder: repositoryRoot, args: [serverProgram()] };
      const elsewhere: Record<string, string> = other === undefined ? {} : { WAYBILL_LISTEN: `127.0.0.1:${other}` };
      const child = await startChild({
        name: 'waybill-server',
        command: byNpm ? 'npm' : process.execPath,
        args: byNpm ? ['start', '--silent'] : [...args, options.command ?? 'start'],
        cwd,
        outputPath: join(logs, `${randomBytes(4).toString('hex')}.log`),
        env: { ...process.env, ...compiled, ...settings, ...elsewhere, ...more },
      });
      children.push(child);
      if (waits) await untilReady(other === undefined ? url : `http://127.0.0.1:${other}`, child);
      return programOf(child);
    },
    run(args, more = {}, user) {
      const options = { cwd: repositoryRoot, env: { ...process.env, ...compiled, ...settings, ...more }, ...user };
      return new Promise((resolve) => {
        const child = execFile(process.execPath, [serverProgram(), ...args], options, (_error, output, errors) =>
          resolve({ code: child.exitCode ?? -1, output, errors }),
        );
      });
    },
    runInside: (args, more = {}) => runInside(args, { ...settings, ...more }),
    async drop() {
      for (const child of children) await child.stop(0);
      await place.drop();
      await rm(logs, { recursive: true, force: true });
    },
  };
}

async function untilReady(url: string, child: Child): Promise<void> {
  await eventually(
    'the service is ready',
    async () => {
      if (!child.isRunning()) throw new Error(`the service ended while starting:\n${child.output()}`);
      const reply = await fetch(`${url}/readyz`, {
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(30_000),
      });
      await reply.arrayBuffer();
      return reply.status === 200;
    },
    startLimitMs,
  );
}

function programOf(child: Child): Program {
  return {
    child,
    members: () => membersOf(child.pid),
    signal: (signal) => void process.kill(child.pid, signal),
    signalAll: (signal) => void process.kill(-child.pid, signal),
    exited: child.exited,
    output: child.output,
  };
}

export async function membersOf(group: number): Promise<ProcessFacts[]> {
  const found: ProcessFacts[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const facts = await readFacts(Number(name)).catch(() => null); // it may end at any moment
    if (facts !== null && facts.group === group && facts.state !== 'Z') found.push(facts);
  }
  return found;
}

async function readFacts(pid: number): Promise<ProcessFacts & { group: number; state: string }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything, so fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // In KiB: `stat` counts pages, whose size varies. A process that is ending has none.
  const resident = /^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
  return {
    pid,
    state: fields[0]!,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    residentBytes: Number(resident) * 1024,
    command,
  };
}
