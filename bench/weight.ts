// Part `weight`: what a start weighs with two workers and with three, as proportional set size of the whole tree, so that
// pages which processes share are counted once; and how long a start over existing data takes.
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { isMemoryKnown, proportionalBytes } from './memory-use.ts';
import { limitRow, missingRow, type Row } from './table.ts';
import { startWaybill } from './waybill.ts';

const megabyte = 1_000_000;
/** The start's own garbage is collected by then. */
const settleMs = 8000;

export async function measureWeight(bench: Bench): Promise<Row[]> {
  if (!isMemoryKnown) return [missingRow('weight', 'it is read from /proc, which this system has not')];
  const first = await startWaybill(bench, { name: 'weight', workers: 2 });
  await first.stop();
  bench.say('restart on existing data, two workers and three');
  const two = await weigh(bench, first.dataDir, 2);
  const three = await weigh(bench, first.dataDir, 3);
  return [
    limitRow('restart on existing data', 's', two.startMs, { must: 1500, aim: 700 }),
    limitRow('weight after start, 2 workers', 'MB', two.bytes, { must: 200 * megabyte, aim: 150 * megabyte }),
    limitRow('weight of a further worker', 'MB', three.bytes - two.bytes, { must: 60 * megabyte, aim: 40 * megabyte }),
  ];
}

async function weigh(bench: Bench, dataDir: string, workers: number): Promise<{ startMs: number; bytes: number }> {
  const startedAt = performance.now();
  const server = await startWaybill(bench, { name: `weight-${workers}`, workers, dataDir });
  const startMs = performance.now() - startedAt;
  await pause(settleMs);
  const bytes = proportionalBytes(server.pid);
  await server.stop();
  return { startMs, bytes };
}
