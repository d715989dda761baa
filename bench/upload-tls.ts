// Part `upload-tls`: one large file on one connection, then several in parallel, through TLS to our server and to nginx. Both
// have a process for each core.
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '#test/kit/certificate.ts';
import { alternate, type Bench, bytesPerSecond, parallelFiles, type Turn } from './bench.ts';
import type { RawRequest } from './load.ts';
import { nginxPut, startNginx } from './references/nginx.ts';
import { missingRow, type Row, ratioRow } from './table.ts';
import { startWaybill, uploadedIds, uploadRequest } from './waybill.ts';

export async function measureUploadsThroughTls(bench: Bench): Promise<Row[]> {
  const { keyPem, certificatePem } = makeCertificate();
  const certificatePath = join(bench.folder, 'certificate.pem');
  writeFileSync(certificatePath, certificatePem + keyPem);
  const workers = availableParallelism();
  const ours = await startWaybill(bench, {
    name: 'upload-tls',
    workers,
    environment: { WAYBILL_TLS_CERT_FILE: certificatePath, WAYBILL_TLS_KEY_FILE: certificatePath },
  });
  const nginx = await startNginx(bench, { workers, certificatePath });

  const rows: Row[] = [];
  for (const [label, count, bytes] of [
    ['upload through TLS, one connection', 1, bench.sizes.fileBytes],
    [`upload through TLS, ${parallelFiles} in parallel`, parallelFiles, bench.sizes.smallerFileBytes],
  ] as const) {
    if (nginx === null) {
      rows.push(missingRow(label, 'nginx is missing'));
      continue;
    }
    const names = Array.from({ length: count }, (_, index) => `put-${index}`);
    const throughTls = (request: RawRequest) => ({ ...request, isTls: true });
    const turns: Turn[] = [
      async () => {
        const result = await bench.load.once(
          ours.port,
          names.map(() => throughTls(uploadRequest(bytes))),
        );
        uploadedIds(result, bytes);
        ours.dropFiles();
        return bytesPerSecond(count * bytes, result.elapsedMs);
      },
      async () => {
        const result = await bench.load.once(
          nginx.port,
          names.map((name) => throughTls(nginxPut(name, bytes))),
        );
        for (const name of names) nginx.drop(name);
        return bytesPerSecond(count * bytes, result.elapsedMs);
      },
    ];
    for (const turn of turns) await turn();
    bench.say(label);
    const [oursValues, nginxValues] = await alternate(bench.sizes.rounds, turns);
    const reference = { name: 'nginx PUT through TLS', values: nginxValues! };
    rows.push(ratioRow({ work: label, unit: 'GB/s' }, oursValues!, reference, { must: 0.75, aim: 1 }));
  }
  return rows;
}
