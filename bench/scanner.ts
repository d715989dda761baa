// Part `scanner`: uploads to our server with a virus scanner that answers immediately, against the same without. Scans continue after
// an upload; the next turn begins when none is left.
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { alternate, type Bench, bytesPerSecond, parallelFiles } from './bench.ts';
import { startInstantScanner } from './references/scanner.ts';
import { type Row, ratioRow } from './table.ts';
import { startWaybill, uploadedIds, uploadRequest, type Waybill } from './waybill.ts';

const target = { must: 0.95, aim: 0.98 };

export async function measureScanner(bench: Bench): Promise<Row[]> {
  const environment = { WAYBILL_SCANNER: await startInstantScanner(bench) };
  const workers = availableParallelism();
  const scanning = await startWaybill(bench, { name: 'scanner', workers, environment });
  const plain = await startWaybill(bench, { name: 'no-scanner', workers });
  const rows: Row[] = [];
  for (const [label, count, bytes] of [
    ['upload with a virus scanner, one connection', 1, bench.sizes.fileBytes],
    [`upload with a virus scanner, ${parallelFiles} in parallel`, parallelFiles, bench.sizes.smallerFileBytes],
  ] as const) {
    const turns = [scanning, plain].map((server) => async () => {
      const requests = Array.from({ length: count }, () => uploadRequest(bytes));
      const result = await bench.load.once(server.port, requests);
      uploadedIds(result, bytes);
      if (server === scanning) await untilScanned(server);
      server.dropFiles();
      return bytesPerSecond(count * bytes, result.elapsedMs);
    });
    for (const turn of turns) await turn();
    bench.say(label);
    const [values, reference] = await alternate(bench.sizes.rounds, turns);
    rows.push(
      ratioRow({ work: label, unit: 'GB/s' }, values!, { name: 'without a scanner', values: reference! }, target),
    );
  }
  return rows;
}

async function untilScanned(server: Waybill): Promise<void> {
  for (;;) {
    const answer = await server.call('GET', '/admin/scanner');
    const { scanner } = (await answer.json()) as { scanner: { waiting: number; fault: string | null } };
    if (scanner.fault !== null) throw new Error(scanner.fault);
    if (scanner.waiting === 0) return;
    await pause(100);
  }
}
