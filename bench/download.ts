// Part `download`: one large file on one connection, then several at once, from our server, nginx with sendfile and a
// bare node:http file stream. All files were just written, so all come from the page cache.
import { alternate, type Bench, bytesPerSecond, filesAtOnce, type Turn } from './bench.ts';
import type { RawRequest } from './load.ts';
import { nginxPut, startNginx } from './references/nginx.ts';
import { startNodeHttp } from './references/node-http.ts';
import { missingRow, type Row, ratioRow } from './table.ts';
import { createLink, downloadRequest, startWaybill, uploadedIds, uploadRequest } from './waybill.ts';

const fileName = 'noise.bin';

export async function measureDownloads(bench: Bench): Promise<Row[]> {
  const ours = await startWaybill(bench, { name: 'download', workers: 1 });
  const nginx = await startNginx(bench);
  const node = await startNodeHttp(bench);

  const rows: Row[] = [];
  for (const [label, count, bytes] of [
    ['download, one connection', 1, bench.sizes.fileBytes],
    [`download, ${filesAtOnce} at once`, filesAtOnce, bench.sizes.smallerFileBytes],
  ] as const) {
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
            { must: 0.18, aim: 0.25 },
          ),
      ratioRow(
        { work: label, unit: 'GB/s' },
        oursValues!,
        { name: 'node:http', values: nodeValues! },
        { must: 0.45, aim: 0.65 },
      ),
    );
    ours.dropFiles();
    nginx?.drop(fileName);
  }
  return rows;
}
