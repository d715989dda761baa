// Part `workers`: our server with two workers against our server with one. The generator works on the same cores, so its share
// of them is told.
import { availableParallelism } from 'node:os';
import { alternate, type Bench, bytesPerSecond, filesAtOnce } from './bench.ts';
import { isMemoryKnown } from './memory-use.ts';
import { generatorSeconds } from './processor-time.ts';
import { connections, requestsPerSecond } from './small-requests.ts';
import { median, missingRow, type Row, ratioRow } from './table.ts';
import { startWaybill, uploadedIds, uploadRequest, type Waybill } from './waybill.ts';

const target = { must: 1.5, aim: 1.8 };

export async function measureWorkers(bench: Bench): Promise<Row[]> {
  if (availableParallelism() < 2) return [missingRow('two workers against one', 'this machine has one core')];
  const two = await startWaybill(bench, { name: 'two-workers', workers: 2 });
  const one = await startWaybill(bench, { name: 'one-worker', workers: 1 });
  const rows: Row[] = [];
  const compare = async (label: string, unit: 'GB/s' | '/s', measure: (server: Waybill) => Promise<number>) => {
    const shares: number[] = [];
    const turns = [
      async () => {
        const [startedAt, before] = [performance.now(), generatorTime(bench)];
        const value = await measure(two);
        shares.push(
          (generatorTime(bench) - before) / ((performance.now() - startedAt) / 1000) / availableParallelism(),
        );
        return value;
      },
      () => measure(one),
    ];
    for (const turn of turns) await turn();
    bench.say(label);
    const [twoValues, oneValues] = await alternate(bench.sizes.rounds, turns);
    const row = ratioRow({ work: label, unit }, twoValues!, { name: 'one worker', values: oneValues! }, target);
    const share = `the load generator took ${Math.round(median(shares) * 100)} % of the cores`;
    rows.push(isMemoryKnown ? { ...row, note: share } : row);
  };
  const bytes = bench.sizes.smallerFileBytes;
  await compare(`two workers, ${filesAtOnce} uploads at once`, 'GB/s', async (server) => {
    const result = await bench.load.once(
      server.port,
      Array.from({ length: filesAtOnce }, () => uploadRequest(bytes)),
    );
    uploadedIds(result, bytes);
    server.dropFiles();
    return bytesPerSecond(filesAtOnce * bytes, result.elapsedMs);
  });
  await compare(`two workers, GET /account, ${connections} connections`, '/s', (server) =>
    requestsPerSecond(bench, server.port, '/account', server.key),
  );
  return rows;
}

function generatorTime(bench: Bench): number {
  return isMemoryKnown ? generatorSeconds(bench.load.pid) : 0;
}
