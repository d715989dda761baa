// Programs that send or fetch a file and end: `curl`, and our own client. Measured from their start to their end.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';

export interface Program {
  name: string;
  command: string[];
  env: Record<string, string>;
}

export interface Run {
  elapsedMs: number;
  /** The most memory it had. */
  peakBytes: number;
  /** What it printed. */
  said: string;
}

export async function run({ name, command, env }: Program): Promise<Run> {
  const startedAt = performance.now();
  const [program, ...args] = command as [string, ...string[]];
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let [peakBytes, said, complaint] = [0, '', ''];
  child.stdout.on('data', (text) => (said += text));
  child.stderr.on('data', (text) => (complaint += text));
  const watch = setInterval(() => (peakBytes = Math.max(peakBytes, peakOf(child.pid))), 100);
  const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  clearInterval(watch);
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${complaint}`);
  return { elapsedMs: performance.now() - startedAt, peakBytes, said };
}

function peakOf(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Fails when the answer is an error. `Expect: 100-continue` is left out: some servers let it wait for a second. */
export function curl(...args: string[]): Program {
  return { name: 'curl', command: ['curl', '-sSf', '-H', 'Expect:', ...args], env: {} };
}

/** A whole file to our server, in one request. */
export function curlUpload(base: string, key: string, path: string, ...more: string[]): Program {
  const url = `${base}/message/attachments/upload?filename=file.bin`;
  return curl('-X', 'POST', '-H', `Authorization: Bearer ${key}`, '-T', path, ...more, url);
}

/** With nothing in it: no client looks at what it sends, and it takes no room on the disk. */
export function sparseFile(bench: Bench, name: string, bytes: number): string {
  const path = join(bench.folder, name);
  closeSync(openSync(path, 'w'));
  truncateSync(path, bytes);
  return path;
}
