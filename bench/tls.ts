// Part `tls`: one large file by `curl` through TLS, to our server behind nginx with the file that we ship for it, against
// nginx alone that keeps it with WebDAV PUT.
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { freePorts } from '#test/kit/servers/child.ts';
import { nginxRequirement } from '#test/kit/servers/nginx.ts';
import { ensureInstalled } from '#test/kit/servers/packages.ts';
import { opensslRequirement, startProxy } from '#test/kit/servers/proxies.ts';
import { alternate, type Bench, bytesPerSecond, type Turn } from './bench.ts';
import { curl, curlUpload, run, sparseFile } from './programs.ts';
import { startNginx } from './references/nginx.ts';
import { missingRow, type Row, ratioRow } from './table.ts';
import { startWaybill } from './waybill.ts';

const work = 'upload through TLS, ours behind nginx';
/** As other programs send files; with HTTP/2 the windows of nginx would be measured. Nobody vouches for its certificate. */
const curlOptions = ['--http1.1', '--insecure'];

export async function measureTls(bench: Bench): Promise<Row[]> {
  try {
    await ensureInstalled([nginxRequirement, opensslRequirement], bench.say);
  } catch {
    return [missingRow(work, 'nginx or openssl is missing')];
  }
  const bytes = bench.sizes.fileBytes;
  const ours = await startWaybill(bench, { name: 'tls', workers: availableParallelism() });
  const [port] = (await freePorts(1)) as [number];
  const proxy = await startProxy('nginx', { port, machines: [`127.0.0.1:${ours.port}`] });
  bench.atEnd(proxy.stop);
  const nginx = (await startNginx(bench, { isTls: true }))!;
  const path = sparseFile(bench, 'tls.bin', bytes);
  const turns: Turn[] = [
    async () => {
      const { elapsedMs } = await run(curlUpload(`https://127.0.0.1:${port}`, ours.key, path, ...curlOptions));
      ours.dropFiles();
      return bytesPerSecond(bytes, elapsedMs);
    },
    async () => {
      const { elapsedMs } = await run(curl(...curlOptions, '-T', path, `https://127.0.0.1:${nginx.port}/file.bin`));
      nginx.drop('file.bin');
      return bytesPerSecond(bytes, elapsedMs);
    },
  ];
  for (const turn of turns) await turn();
  bench.say(work);
  const [oursValues, nginxValues] = await alternate(bench.sizes.rounds, turns);
  rmSync(path);
  const reference = { name: 'nginx PUT through TLS', values: nginxValues! };
  return [ratioRow({ work, unit: 'GB/s' }, oursValues!, reference, { must: 0.8, aim: 0.9 })];
}
