// Runs `curl` and our client to send or fetch a file, and measures their time and memory.
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
  peakBytes: number;
  output: string;
}

export async function run({ name, command, env }: Program): Promise<Run> {
  const startedAt = performance.now();
  const [program, ...args] = command as [string, ...string[]];
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let [peakBytes, output, errors] = [0, '', ''];
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (errors += text));
  const watch = setInterval(() => (peakBytes = Math.max(peakBytes, peakOf(child.pid))), 100);
  const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  clearInterval(watch);
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${errors}`);
  return { elapsedMs: performance.now() - startedAt, peakBytes, output };
}

function peakOf(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Fails if the answer is an error. Without `Expect: 100-continue`, for which some servers wait a second. */
export function curl(...args: string[]): Program {
  return { name: 'curl', command: ['curl', '-sSf', '-H', 'Expect:', ...args], env: {} };
}

/** A whole file to our server, in one request. */
export function curlUpload(base: string, key: string, path: string, ...more: string[]): Program {
  const url = `${base}/message/attachments/upload?filename=file.bin`;
  return curl('-X', 'POST', '-H', `Authorization: Bearer ${key}`, '-T', path, ...more, url);
}

/** A file of zeros that takes no disk space. */
export function sparseFile(bench: Bench, name: string, bytes: number): string {
  const path = join(bench.folder, name);
  closeSync(openSync(path, 'w'));
  truncateSync(path, bytes);
  return path;
}
