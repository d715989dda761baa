// Part `workers`: our server with two workers against one. The load generator uses the same cores.
import { availableParallelism } from 'node:os';
import { alternate, type Bench, bytesPerSecond, parallelFiles } from './bench.ts';
import { connections, requestsPerSecond } from './small-requests.ts';
import { missingRow, type Row, ratioRow } from './table.ts';
import { startWaybill, uploadedIds, uploadRequest, type Waybill } from './waybill.ts';

const target = { must: 1.5, aim: 1.8 };

export async function measureWorkers(bench: Bench): Promise<Row[]> {
  if (availableParallelism() < 2) return [missingRow('two workers against one', 'this machine has one core')];
  const two = await startWaybill(bench, { name: 'two-workers', workers: 2 });
  const one = await startWaybill(bench, { name: 'one-worker', workers: 1 });
  const rows: Row[] = [];
  const compare = async (label: string, unit: 'GB/s' | '/s', measure: (server: Waybill) => Promise<number>) => {
    const turns = [two, one].map((server) => () => measure(server));
    for (const turn of turns) await turn();
    bench.say(label);
    const [twoValues, oneValues] = await alternate(bench.sizes.rounds, turns);
    rows.push(ratioRow({ work: label, unit }, twoValues!, { name: 'one worker', values: oneValues! }, target));
  };
  const bytes = bench.sizes.smallerFileBytes;
  await compare(`two workers, ${parallelFiles} parallel uploads`, 'GB/s', async (server) => {
    const result = await bench.load.once(
      server.port,
      Array.from({ length: parallelFiles }, () => uploadRequest(bytes)),
    );
    uploadedIds(result, bytes);
    server.dropFiles();
    return bytesPerSecond(parallelFiles * bytes, result.elapsedMs);
  });
  await compare(`two workers, GET /account, ${connections} connections`, '/s', (server) =>
    requestsPerSecond(bench, server.port, '/account', server.key),
  );
  return rows;
}
