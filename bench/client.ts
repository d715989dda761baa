// Part `client`: `waybill upload` beside plain `curl` sending the same file raw to the same server: on loopback, over a line
// of 100 ms and 1 % loss, and how much memory the client needs for a file of 10 GiB.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '#scripts/source-files.ts';
import { alternate, type Bench, bytesPerSecond, fullSizes } from './bench.ts';
import { openLossyLine } from './lossy-line.ts';
import { curlUpload, type Program, run, sparseFile } from './programs.ts';
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

function curlTo(port: number, { key }: Waybill, path: string): Program {
  return curlUpload(`http://127.0.0.1:${port}`, key, path);
}

function waybillTo(bench: Bench, port: number, { key }: Waybill, args: string[]): Program {
  const home = join(bench.folder, `home-${port}`);
  mkdirSync(home, { recursive: true });
  const env = { HOME: home, WAYBILL_SERVER: `http://127.0.0.1:${port}`, WAYBILL_API_KEY: key };
  return {
    name: 'waybill',
    command: [process.execPath, join(repositoryRoot, 'cli/waybill.mjs'), '-q', ...args],
    env,
  };
}

/** As the client decides, and in the pieces it takes for files that would be lost for too long when interrupted. */
async function onLoopback(bench: Bench, ours: Waybill): Promise<Row[]> {
  const bytes = Math.max(leastLoopbackBytes, bench.sizes.fileBytes);
  const path = sparseFile(bench, 'loopback.bin', bytes);
  let peakBytes = 0;
  const turn = (sender: Program) => async () => {
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
  // Client and server share the cores, so these differ more from round to round than other rows.
  const [values, piecesValues, curlValues] = await alternate(2 * bench.sizes.rounds - 1, [mine, inPieces, curl]);
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
  const speed = async (seed: number, sender: (port: number) => Program) => {
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
