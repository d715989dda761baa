// An S3 server as a peer: OpenStack Swift, which the tests use. It makes an MD5 of every file and flushes it, and does not
// encrypt. Addresses are signed here, because `curl` cannot sign for a user whose name has a colon in it.
import { createHash, createHmac } from 'node:crypto';
import { join } from 'node:path';
import { ensureInstalled } from '#test/kit/servers/packages.ts';
import { type S3Server, startSwift, swiftRequirement } from '#test/kit/servers/swift.ts';
import type { Bench } from '../bench.ts';
import { curl } from '../programs.ts';
import type { Peer } from './peers.ts';

export async function startS3(bench: Bench): Promise<Peer> {
  await ensureInstalled([swiftRequirement], bench.say);
  const server = await startSwift(join(bench.folder, 'swift'));
  bench.atEnd(server.stop);
  const send = async (method: string, path: string) => {
    const answer = await fetch(signedAddress(server, method, path), { method });
    if (!answer.ok) throw new Error(`the S3 server answered ${answer.status}: ${await answer.text()}`);
  };
  const file = '/bench/file.bin';
  await send('PUT', '/bench');
  return {
    upload: async (path) => curl('-T', path, signedAddress(server, 'PUT', file)),
    download: () => curl('-o', '/dev/null', signedAddress(server, 'GET', file)),
    drop: () => send('DELETE', file),
  };
}

/** Good for an hour; the bytes themselves are not signed, or `curl` would have to read the file twice. */
function signedAddress({ endpoint, region, accessKey, secretKey }: S3Server, method: string, path: string): string {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const query = Object.entries({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKey}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': '3600',
    'X-Amz-SignedHeaders': 'host',
  })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const request = [method, path, query, `host:${new URL(endpoint).host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(request).digest('hex')].join('\n');
  const sign = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest();
  const key = scope.split('/').reduce<string | Buffer>(sign, `AWS4${secretKey}`);
  return `${endpoint}${path}?${query}&X-Amz-Signature=${sign(key, text).toString('hex')}`;
}
