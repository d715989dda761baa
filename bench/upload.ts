// Part `upload`: one large file on one connection, then several in parallel, to our server, @tus/server and nginx. By default, our
// server starts one process for each core, @tus/server one.
import { availableParallelism } from 'node:os';
import { alternate, type Bench, bytesPerSecond, parallelFiles, type Turn } from './bench.ts';
import type { RawRequest } from './load.ts';
import { nginxPut, startNginx } from './references/nginx.ts';
import { startTus, tusUpload } from './references/tus.ts';
import { missingRow, type Row, ratioRow } from './table.ts';
import { startWaybill, uploadedIds, uploadRequest } from './waybill.ts';

export async function measureUploads(bench: Bench): Promise<Row[]> {
  const ours = await startWaybill(bench, { name: 'upload', workers: availableParallelism() });
  const tus = await startTus(bench);
  const nginx = await startNginx(bench);

  const rows: Row[] = [];
  for (const [label, count, bytes] of [
    ['upload, one connection, default start', 1, bench.sizes.fileBytes],
    [`upload, ${parallelFiles} in parallel, default start`, parallelFiles, bench.sizes.smallerFileBytes],
  ] as const) {
    const turns: Turn[] = [
      async () => {
        const result = await bench.load.once(ours.port, repeated(count, uploadRequest(bytes)));
        uploadedIds(result, bytes);
        ours.dropFiles();
        return bytesPerSecond(count * bytes, result.elapsedMs);
      },
      async () => {
        const result = await bench.load.once(tus.port, repeated(count, tusUpload(bytes)));
        tus.dropFiles();
        return bytesPerSecond(count * bytes, result.elapsedMs);
      },
    ];
    if (nginx !== null) {
      const names = Array.from({ length: count }, (_, index) => `put-${index}`);
      const put = async () => {
        const result = await bench.load.once(
          nginx.port,
          names.map((name) => nginxPut(name, bytes)),
        );
        for (const name of names) nginx.drop(name);
        return bytesPerSecond(count * bytes, result.elapsedMs);
      };
      turns.push(put);
    }
    for (const turn of turns) await turn();
    bench.say(label);
    const [oursValues, tusValues, nginxValues] = await alternate(bench.sizes.rounds, turns);
    rows.push(
      ratioRow(
        { work: label, unit: 'GB/s' },
        oursValues!,
        { name: '@tus/server', values: tusValues! },
        { must: 1.1, aim: 1.5 },
      ),
      nginxValues === undefined
        ? missingRow(`${label}, against nginx PUT`, 'nginx is missing')
        : ratioRow(
            { work: label, unit: 'GB/s' },
            oursValues!,
            { name: 'nginx PUT', values: nginxValues },
            { must: 0.2, aim: 0.3 },
          ),
    );
  }
  return rows;
}

function repeated(count: number, request: RawRequest): RawRequest[] {
  return Array.from({ length: count }, () => request);
}
