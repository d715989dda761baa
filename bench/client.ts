// Part `client`: `waybill upload` beside plain `curl` sending the same file raw to the same server: on loopback, over a line
// of 100 ms and 1 % loss, and how much memory the client needs for a file of 10 GiB.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '#scripts/source-files.ts';
import { alternate, type Bench, bytesPerSecond, fullSizes } from './bench.ts';
import { openLossyLine } from './lossy-line.ts';
import { limitRow, printTable, type Row, ratioRow } from './table.ts';
import { startWaybill, type Waybill } from './waybill.ts';

const mebibyte = 1024 * 1024;
/** The start of a process should not count for much. */
const leastLoopbackBytes = 512 * mebibyte;

/** Long past the first losses, and still only a minute and a half for one connection. */
const lossy = { bytes: 16 * mebibyte, seeds: [1, 2, 3] };
const lossyQuick = { bytes: 4 * mebibyte, seeds: [1] };

const memoryTarget = { must: 120e6, aim: 100e6 };

export async function measureClient(bench: Bench): Promise<Row[]> {
  const ours = await startWaybill(bench, { name: 'client', workers: 2 });
  const rows: Row[] = [];
  for (const measure of [onLoopback, overLossyLine, memoryOf]) {
    const measured = await measure(bench, ours);
    // Told at once: the part takes minutes, and what is measured should not be lost with the rest.
    bench.say(`so far\n${printTable(measured)}`);
    rows.push(...measured);
  }
  return rows;
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
    command: [process.execPath, join(repositoryRoot, 'cli/waybill.mjs'), '-q', ...args],
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

/** As the client decides, and in the pieces it takes for files that would be lost for too long when interrupted. */
async function onLoopback(bench: Bench, ours: Waybill): Promise<Row[]> {
  const bytes = Math.max(leastLoopbackBytes, bench.sizes.fileBytes);
  const path = sparseFile(bench, 'loopback.bin', bytes);
  let peakBytes = 0;
  const turn = (sender: Sender) => async () => {
    const ran = await run(sender);
    ours.dropFiles();
    if (sender.name !== 'curl') peakBytes = Math.max(peakBytes, ran.peakBytes);
    return bytesPerSecond(bytes, ran.elapsedMs);
  };
  const mine = turn(waybillTo(bench, ours.port, ours, ['upload', path]));
  const inPieces = turn(waybillTo(bench, ours.port, ours, ['upload', '--chunk-size', '64MiB', path]));
  const curl = turn(curlTo(ours.port, ours, path));
  for (const one of [mine, curl]) await one();
  const work = `client, ${bytes / 1024 / mebibyte} GiB up on loopback`;
  bench.say(work);
  const [values, piecesValues, curlValues] = await alternate(bench.sizes.rounds, [mine, inPieces, curl]);
  rmSync(path);
  const reference = { name: 'curl, raw', values: curlValues! };
  const target = { must: 0.9, aim: 1 };
  return [
    ratioRow({ work, unit: 'GB/s' }, values!, reference, target),
    ratioRow({ work: `${work}, in pieces of 64 MiB`, unit: 'GB/s' }, piecesValues!, reference, target),
    limitRow(`${work}, memory`, 'MB', peakBytes, memoryTarget),
  ];
}

/** All rounds at once, each on a line of its own: nothing here is limited by the machine. */
async function overLossyLine(bench: Bench, ours: Waybill): Promise<Row[]> {
  const { bytes, seeds } = bench.sizes.rounds < fullSizes.rounds ? lossyQuick : lossy;
  const work = `client, ${bytes / mebibyte} MiB up over 100 ms and 1 % loss`;
  const path = sparseFile(bench, 'lossy.bin', bytes);
  bench.say(work);
  const speed = async (seed: number, sender: (port: number) => Sender) => {
    const line = await openLossyLine(ours.port, seed);
    try {
      return bytesPerSecond(bytes, (await run(sender(line.port))).elapsedMs);
    } finally {
      line.close();
    }
  };
  const [mine, curl] = await Promise.all([
    Promise.all(seeds.map((seed) => speed(seed, (port) => waybillTo(bench, port, ours, ['upload', path])))),
    Promise.all(seeds.map((seed) => speed(seed, (port) => curlTo(port, ours, path)))),
  ]);
  ours.dropFiles();
  return [ratioRow({ work, unit: 'MB/s' }, mine, { name: 'curl, one connection', values: curl }, { must: 4, aim: 6 })];
}

async function memoryOf(bench: Bench, ours: Waybill): Promise<Row[]> {
  const size = bench.sizes.memoryFileBytes;
  const work = `client, memory, ${size / 1024 / mebibyte} GiB`;
  const path = sparseFile(bench, 'large.bin', size);
  bench.say(work);
  const small = await run(waybillTo(bench, ours.port, ours, ['upload', '--chunk-size', '8MiB', path]));
  ours.dropFiles();
  const up = await run(waybillTo(bench, ours.port, ours, ['link', path]));
  rmSync(path);
  const url = up.said.trim();
  const folder = join(bench.folder, 'received');
  const down = await run(waybillTo(bench, ours.port, ours, ['get', url, '-o', folder]));
  ours.dropFiles();
  rmSync(folder, { recursive: true });
  return [
    limitRow(`${work} up`, 'MB', up.peakBytes, memoryTarget),
    limitRow(`${work} up, in pieces of 8 MiB`, 'MB', small.peakBytes, memoryTarget),
    limitRow(`${work} down`, 'MB', down.peakBytes, memoryTarget),
  ];
}
