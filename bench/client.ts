// Part `client`: `waybill upload` compared with `curl` to the same server, on loopback and over a connection with 100 ms and 1 %
// loss; and the memory of the client for a file of 10 GiB.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '#scripts/source-files.ts';
import { alternate, type Bench, bytesPerSecond, fullSizes } from './bench.ts';
import { openLossyConnection } from './lossy-connection.ts';
import { curlUpload, type Program, run, sparseFile } from './programs.ts';
import { limitRow, printTable, type Row, ratioRow } from './table.ts';
import { startWaybill, type Waybill } from './waybill.ts';

const mebibyte = 1024 * 1024;
/** Large enough that the start of the process matters little. */
const leastLoopbackBytes = 512 * mebibyte;

/** Enough for several losses; one connection takes a minute and a half. */
const lossy = { bytes: 16 * mebibyte, seeds: [1, 2, 3] };
const lossyQuick = { bytes: 4 * mebibyte, seeds: [1] };

const memoryTarget = { must: 120e6, aim: 100e6 };

export async function measureClient(bench: Bench): Promise<Row[]> {
  const ours = await startWaybill(bench, { name: 'client', workers: 2 });
  const rows: Row[] = [];
  for (const measure of [onLoopback, overLossyConnection, memoryOf]) {
    const measured = await measure(bench, ours);
    // Printed now, because the part takes minutes and may fail later.
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

/** In one request, and in chunks. */
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
  const inChunks = turn(waybillTo(bench, ours.port, ours, ['upload', '--chunk-size', '64MiB', path]));
  const curl = turn(curlTo(ours.port, ours, path));
  for (const one of [mine, curl]) await one();
  const work = `client, ${bytes / 1024 / mebibyte} GiB up on loopback`;
  bench.say(work);
  // Client and server share the cores, so these values vary more.
  const [values, chunkValues, curlValues] = await alternate(2 * bench.sizes.rounds - 1, [mine, inChunks, curl]);
  rmSync(path);
  const reference = { name: 'curl, raw', values: curlValues! };
  const target = { must: 0.9, aim: 1 };
  return [
    ratioRow({ work, unit: 'GB/s' }, values!, reference, target),
    ratioRow({ work: `${work}, in chunks of 64 MiB`, unit: 'GB/s' }, chunkValues!, reference, target),
    limitRow(`${work}, memory`, 'MB', peakBytes, memoryTarget),
  ];
}

/** All rounds in parallel, each over a separate connection: the machine is no limit here. */
async function overLossyConnection(bench: Bench, ours: Waybill): Promise<Row[]> {
  const { bytes, seeds } = bench.sizes.rounds < fullSizes.rounds ? lossyQuick : lossy;
  const work = `client, ${bytes / mebibyte} MiB up over 100 ms and 1 % loss`;
  const path = sparseFile(bench, 'lossy.bin', bytes);
  bench.say(work);
  const speed = async (seed: number, sender: (port: number) => Program) => {
    const connection = await openLossyConnection(ours.port, seed);
    try {
      return bytesPerSecond(bytes, (await run(sender(connection.port))).elapsedMs);
    } finally {
      connection.close();
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
  const url = up.output.trim();
  const folder = join(bench.folder, 'received');
  const down = await run(waybillTo(bench, ours.port, ours, ['get', url, '-o', folder]));
  ours.dropFiles();
  rmSync(folder, { recursive: true });
  return [
    limitRow(`${work} up`, 'MB', up.peakBytes, memoryTarget),
    limitRow(`${work} up, in chunks of 8 MiB`, 'MB', small.peakBytes, memoryTarget),
    limitRow(`${work} down`, 'MB', down.peakBytes, memoryTarget),
  ];
}
