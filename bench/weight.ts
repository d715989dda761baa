// Part `weight`: memory after a start with two workers and with three, as proportional set size of all processes, and the duration
// of a start with existing data.
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { isMemoryKnown, proportionalBytes } from './memory-use.ts';
import { limitRow, missingRow, type Row } from './table.ts';
import { startWaybill } from './waybill.ts';

const megabyte = 1_000_000;
/** Until the garbage of the start is collected. */
const settleMs = 8000;

export async function measureWeight(bench: Bench): Promise<Row[]> {
  if (!isMemoryKnown) return [missingRow('weight', 'this system has no /proc')];
  const first = await startWaybill(bench, { name: 'weight', workers: 2 });
  await first.stop();
  bench.say('restart on existing data, two workers and three');
  const two = await measureStart(bench, first.dataDir, 2);
  const three = await measureStart(bench, first.dataDir, 3);
  return [
    limitRow('restart on existing data', 's', two.startMs, { must: 1500, aim: 700 }),
    limitRow('memory (PSS) after start, 2 workers', 'MB', two.bytes, { must: 200 * megabyte, aim: 150 * megabyte }),
    limitRow('memory (PSS) of a further worker', 'MB', three.bytes - two.bytes, {
      must: 60 * megabyte,
      aim: 40 * megabyte,
    }),
  ];
}

async function measureStart(
  bench: Bench,
  dataDir: string,
  workers: number,
): Promise<{ startMs: number; bytes: number }> {
  const startedAt = performance.now();
  const server = await startWaybill(bench, { name: `weight-${workers}`, workers, dataDir });
  const startMs = performance.now() - startedAt;
  await pause(settleMs);
  const bytes = proportionalBytes(server.pid);
  await server.stop();
  return { startMs, bytes };
}
