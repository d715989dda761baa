// Small requests on many kept connections: with `wrk` if it is installed, otherwise with our generator.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '#test/kit/servers/child.ts';
import type { Bench } from './bench.ts';

export const connections = 64;
const paths = ['/usr/bin/wrk', '/usr/local/bin/wrk'];

/** Requests per second; other statuses than 200 are errors. */
export async function requestsPerSecond(bench: Bench, port: number, path: string, key: string): Promise<number> {
  const wrk = paths.find((path) => existsSync(path));
  if (wrk !== undefined) return runWrk(bench, wrk, `http://127.0.0.1:${port}${path}`, key);
  const request = { head: `GET ${path} HTTP/1.1\r\nAuthorization: Bearer ${key}` };
  const { perSecond, countByStatus } = await bench.load.repeat(port, request, connections, bench.sizes.requestsMs);
  if (Object.keys(countByStatus).some((status) => status !== '200'))
    throw new Error(`small requests were answered with ${JSON.stringify(countByStatus)}`);
  return perSecond;
}

async function runWrk(bench: Bench, command: string, url: string, key: string): Promise<number> {
  const seconds = Math.max(1, Math.round(bench.sizes.requestsMs / 1000));
  const outputPath = join(bench.folder, 'wrk.log');
  rmSync(outputPath, { force: true });
  const child = await startChild({
    name: 'wrk',
    command,
    args: ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-H', `Authorization: Bearer ${key}`, url],
    outputPath,
  });
  await Promise.race([child.exited, pause(bench.sizes.requestsMs + 20_000, undefined, { ref: false })]);
  await child.stop();
  const text = child.output();
  const found = /Requests\/sec:\s+([\d.]+)/.exec(text);
  // A slow answer is no error.
  const isBroken = /Non-2xx|Socket errors: (?!connect 0, read 0, write 0)/.test(text);
  if (found === null || isBroken) throw new Error(`wrk failed: ${text}`);
  return Number(found[1]);
}
