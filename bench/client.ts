// Part `client`: `waybill upload` beside plain `curl` sending the same file raw to the same server: on loopback, over a line
// of 100 ms and 1 % loss, and how much memory the client needs for a file of 10 GiB.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '#scripts/source-files.ts';
import { alternate, type Bench, bytesPerSecond } from './bench.ts';
import { openLossyLine } from './lossy-line.ts';
import { limitRow, type Row, ratioRow } from './table.ts';
import { startWaybill, type Waybill } from './waybill.ts';

const mebibyte = 1024 * 1024;
/** Long past the first losses, and still only a minute and a half for one connection. */
const lossyBytes = 16 * mebibyte;
const lossySeeds = [1, 2, 3];

export async function measureClient(bench: Bench): Promise<Row[]> {
  const ours = await startWaybill(bench, { name: 'client', workers: 2 });
  return [await onLoopback(bench, ours), await overLossyLine(bench, ours), ...(await memoryOf(bench, ours))];
}

/** With nothing in it: neither client looks at what it sends, and it takes no room on the disk. */
function sparseFile(bench: Bench, name: string, bytes: number): string {
  const path = join(bench.folder, name);
  closeSync(openSync(path, 'w'));
  truncateSync(path, bytes);
  return path;
}

interface Sender {
  name: string;
  command: string[];
  env: Record<string, string>;
}

function curlTo(port: number, { key }: Waybill, path: string): Sender {
  const url = `http://127.0.0.1:${port}/message/attachments/upload?filename=file.bin`;
  const headers = ['-H', `Authorization: Bearer ${key}`, '-H', 'Expect:'];
  return { name: 'curl', command: ['curl', '-sSf', '-X', 'POST', ...headers, '-T', path, url], env: {} };
}

function waybillTo(bench: Bench, port: number, { key }: Waybill, args: string[]): Sender {
  const home = join(bench.folder, `home-${port}`);
  mkdirSync(home, { recursive: true });
  const env = { HOME: home, WAYBILL_SERVER: `http://127.0.0.1:${port}`, WAYBILL_API_KEY: key };
  return {
    name: 'waybill',
    command: [process.execPath, join(repositoryRoot, 'cli/main.ts'), '-q', ...args],
    env,
  };
}

interface Run {
  elapsedMs: number;
  /** The most memory it had. */
  peakBytes: number;
  /** What it printed. */
  said: string;
}

async function run({ name, command, env }: Sender): Promise<Run> {
  const startedAt = performance.now();
  const [program, ...args] = command as [string, ...string[]];
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let [peakBytes, said, complaint] = [0, '', ''];
  child.stdout.on('data', (text) => (said += text));
  child.stderr.on('data', (text) => (complaint += text));
  const watch = setInterval(() => (peakBytes = Math.max(peakBytes, peakOf(child.pid))), 100);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
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

async function onLoopback(bench: Bench, ours: Waybill): Promise<Row> {
  const work = 'client, upload on loopback';
  const bytes = 2 * bench.sizes.fileBytes;
  const path = sparseFile(bench, 'loopback.bin', bytes);
  const turn = (sender: Sender) => async () => {
    const { elapsedMs } = await run(sender);
    ours.dropFiles();
    return bytesPerSecond(bytes, elapsedMs);
  };
  const mine = turn(waybillTo(bench, ours.port, ours, ['upload', path]));
  const curl = turn(curlTo(ours.port, ours, path));
  for (const one of [mine, curl]) await one();
  bench.say(work);
  const [oursValues, curlValues] = await alternate(bench.sizes.rounds, [mine, curl]);
  rmSync(path);
  const reference = { name: 'curl, raw', values: curlValues! };
  return ratioRow({ work, unit: 'GB/s' }, oursValues!, reference, { must: 0.9, aim: 1 });
}

/** All rounds at once, each on a line of its own: nothing here is limited by the machine. */
async function overLossyLine(bench: Bench, ours: Waybill): Promise<Row> {
  const work = 'client, upload over 100 ms and 1 % loss';
  const path = sparseFile(bench, 'lossy.bin', lossyBytes);
  bench.say(work);
  const speed = async (seed: number, sender: (port: number) => Sender) => {
    const line = await openLossyLine(ours.port, seed);
    try {
      return bytesPerSecond(lossyBytes, (await run(sender(line.port))).elapsedMs);
    } finally {
      line.close();
    }
  };
  const [mine, curl] = await Promise.all([
    Promise.all(lossySeeds.map((seed) => speed(seed, (port) => waybillTo(bench, port, ours, ['upload', path])))),
    Promise.all(lossySeeds.map((seed) => speed(seed, (port) => curlTo(port, ours, path)))),
  ]);
  ours.dropFiles();
  return ratioRow({ work, unit: 'MB/s' }, mine, { name: 'curl, one connection', values: curl }, { must: 4, aim: 6 });
}

async function memoryOf(bench: Bench, ours: Waybill): Promise<Row[]> {
  const size = bench.sizes.memoryFileBytes;
  const file = `a file of ${size / 1024 / mebibyte} GiB`;
  const path = sparseFile(bench, 'large.bin', size);
  const target = { must: 120e6, aim: 100e6 };
  bench.say(`client, memory of ${file}`);
  const up = await run(waybillTo(bench, ours.port, ours, ['link', path]));
  rmSync(path);
  const url = up.said.trim();
  const folder = join(bench.folder, 'received');
  const down = await run(waybillTo(bench, ours.port, ours, ['get', url, '-o', folder]));
  ours.dropFiles();
  rmSync(folder, { recursive: true });
  return [
    limitRow(`client, memory, ${file} up`, 'MB', up.peakBytes, target),
    limitRow(`client, memory, ${file} down`, 'MB', down.peakBytes, target),
  ];
}
