// Child processes that never outlive this one: each leads its own process group. Output goes to a file.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface ChildOptions {
  /** For messages. */
  name: string;
  command: string;
  args: string[];
  /** Standard output and error are appended here, in the order they were written. */
  outputPath: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  user?: { uid: number; gid: number };
  stopSignal?: NodeJS.Signals;
  /** The signal when the first did not help, or when there is no time for it. */
  lastSignal?: NodeJS.Signals;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Child {
  name: string;
  pid: number;
  exited: Promise<Exit>;
  isRunning(): boolean;
  output(): string;
  outputSize(): number;
  /** Ends the process and the rest of its group. Idempotent. */
  stop(graceMs?: number): Promise<void>;
}

const setprivPath = '/usr/bin/setpriv';
const alive = new Map<number, NodeJS.Signals>();
let isWatchingExit = false;

/** Starts a program in its own process group. Rejects when it cannot be started. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const stopSignal = options.stopSignal ?? 'SIGTERM';
  const lastSignal = options.lastSignal ?? 'SIGKILL';
  watchExit();
  const [command, args] = boundToOurLife(options.command, options.args, lastSignal);
  const outputFd = openSync(options.outputPath, 'a', 0o600);
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', outputFd, outputFd],
    detached: true,
    ...(options.user ?? {}),
  });
  closeSync(outputFd);
  const pid = await started(child);
  alive.set(pid, lastSignal);
  let isRunning = true;
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      isRunning = false;
      alive.delete(pid);
      resolve({ code, signal });
    });
  });
  return {
    name: options.name,
    pid,
    exited,
    isRunning: () => isRunning,
    output: () => readFileSync(options.outputPath, 'utf8'),
    outputSize: () => statSync(options.outputPath).size,
    async stop(graceMs = 5_000) {
      if (isRunning) {
        send(pid, stopSignal);
        await Promise.race([exited, pause(graceMs, undefined, { ref: false })]);
      }
      if (isRunning) {
        send(pid, lastSignal);
        await Promise.race([exited, pause(graceMs, undefined, { ref: false })]);
      }
      send(-pid, 'SIGKILL');
      await exited;
    },
  };
}

/** Free loopback ports, all different. Another process may still take one. */
export async function freePorts(count: number): Promise<number[]> {
  const listeners: Server[] = [];
  while (listeners.length < count) {
    const listener = await listenAt(randomInt(...portRange));
    if (listener !== null) listeners.push(listener);
  }
  return Promise.all(
    listeners.map(async (listener) => {
      const { port } = listener.address() as AddressInfo;
      await new Promise((resolve) => listener.close(resolve));
      return port;
    }),
  );
}

/** Below the system's ephemeral ports, which others may take, and above 10080, the last one that browsers refuse. */
const portRange = [10_081, 32_000] as const;

/** Null if the port is in use. */
function listenAt(port: number): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const listener = createServer();
    listener.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    listener.listen(port, '127.0.0.1', () => resolve(listener));
  });
}

/** Polls `probe` until it resolves. Fails immediately, with the output, when a child ends. */
export async function untilReady(children: Child[], probe: () => Promise<void>, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let lastReason: unknown = null;
  for (;;) {
    const dead = children.find((child) => !child.isRunning());
    if (dead) throw new Error(`${dead.name} ended while starting:\n${tail(dead.output())}`);
    try {
      await probe();
      return;
    } catch (reason) {
      lastReason = reason;
    }
    if (performance.now() > deadline) {
      const outputs = children.map((child) => `${child.name}:\n${tail(child.output())}`).join('\n');
      throw new Error(`not ready after ${timeoutMs / 1000} s: ${lastReason}\n${outputs}`);
    }
    await pause(25);
  }
}

/** Starts again on other ports when a start fails, because a free port can be lost before its use. */
export async function withOneRetry<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch {
    return start();
  }
}

function tail(text: string, lineCount = 20): string {
  return text.trimEnd().split('\n').slice(-lineCount).join('\n');
}

/** Asks the Linux kernel to signal the child when this process dies. */
function boundToOurLife(command: string, args: string[], signal: NodeJS.Signals): [string, string[]] {
  if (process.platform !== 'linux' || !existsSync(setprivPath)) return [command, args];
  return [setprivPath, ['--pdeathsig', signal.slice('SIG'.length), '--', command, ...args]];
}

function started(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid!));
    child.once('error', reject);
  });
}

function watchExit(): void {
  if (isWatchingExit) return;
  isWatchingExit = true;
  // Runs before other listeners, so that those can remove the folders of ended processes.
  process.prependListener('exit', () => {
    for (const [pid, lastSignal] of alive) {
      send(pid, lastSignal);
      if (lastSignal === 'SIGKILL') send(-pid, lastSignal);
    }
  });
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
