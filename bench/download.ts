// Part `download`: one large file on one connection, then several in parallel, from our server, nginx with sendfile and a
// node:http file stream, all from the page cache. Our server and nginx have one process for each core.
import { availableParallelism } from 'node:os';
import { alternate, type Bench, bytesPerSecond, parallelFiles, type Turn } from './bench.ts';
import type { RawRequest } from './load.ts';
import { nginxPut, startNginx } from './references/nginx.ts';
import { startNodeHttp } from './references/node-http.ts';
import { missingRow, type Row, ratioRow } from './table.ts';
import { createLink, downloadRequest, startWaybill, uploadedIds, uploadRequest } from './waybill.ts';

const fileName = 'noise.bin';

export async function measureDownloads(bench: Bench): Promise<Row[]> {
  const ours = await startWaybill(bench, { name: 'download', workers: availableParallelism() });
  const nginx = await startNginx(bench, { workers: availableParallelism() });
  const node = await startNodeHttp(bench);

  const rows: Row[] = [];
  for (const { label, count, bytes, nginxTarget, nodeTarget } of worksOf(bench)) {
    const uploaded = await bench.load.once(ours.port, [uploadRequest(bytes)]);
    const link = await createLink(ours, uploadedIds(uploaded, bytes)[0]!);
    node.writeNoise(fileName, bytes);
    const get: RawRequest = { head: `GET /${fileName} HTTP/1.1` };
    const fetchAll = async (port: number, requests: RawRequest[]) => {
      const result = await bench.load.once(port, requests);
      for (const answer of result.answers) {
        if (answer.bodyBytes !== bytes) throw new Error(`a download had ${answer.bodyBytes} bytes instead of ${bytes}`);
      }
      return bytesPerSecond(count * bytes, result.elapsedMs);
    };
    const several = Array.from({ length: count }, () => get);
    const turns: Turn[] = [
      async () => fetchAll(ours.port, await Promise.all(several.map(() => downloadRequest(ours, link)))),
      () => fetchAll(node.port, several),
    ];
    if (nginx !== null) {
      await bench.load.once(nginx.port, [nginxPut(fileName, bytes)]);
      turns.push(() => fetchAll(nginx.port, several));
    }
    for (const turn of turns) await turn();
    bench.say(label);
    const [oursValues, nodeValues, nginxValues] = await alternate(bench.sizes.rounds, turns);
    rows.push(
      nginxValues === undefined
        ? missingRow(`${label}, against nginx sendfile`, 'nginx is missing')
        : ratioRow(
            { work: label, unit: 'GB/s' },
            oursValues!,
            { name: 'nginx sendfile', values: nginxValues },
            nginxTarget,
          ),
      ratioRow({ work: label, unit: 'GB/s' }, oursValues!, { name: 'node:http', values: nodeValues! }, nodeTarget),
    );
    ours.dropFiles();
    nginx?.drop(fileName);
  }
  return rows;
}

function worksOf({ sizes }: Bench) {
  return [
    {
      label: 'download, one connection, default start',
      count: 1,
      bytes: sizes.fileBytes,
      nginxTarget: { must: 0.18, aim: 0.25 },
      nodeTarget: { must: 0.7, aim: 0.9 },
    },
    {
      label: `download, ${parallelFiles} in parallel, default start`,
      count: parallelFiles,
      bytes: sizes.smallerFileBytes,
      nginxTarget: { must: 0.3, aim: 0.4 },
      nodeTarget: { must: 0.45, aim: 0.65 },
    },
  ];
}
