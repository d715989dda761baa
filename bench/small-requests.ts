// Small requests on many kept connections: with `wrk` where it is installed, with our own generator elsewhere.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Bench } from './bench.ts';

export const connections = 64;
const places = ['/usr/bin/wrk', '/usr/local/bin/wrk'];

/** Requests a second; anything but 200 is an error. */
export async function requestsPerSecond(bench: Bench, port: number, path: string, key: string): Promise<number> {
  const wrk = places.find((place) => existsSync(place));
  if (wrk !== undefined) return runWrk(wrk, bench.sizes.requestsMs, `http://127.0.0.1:${port}${path}`, key);
  const request = { head: `GET ${path} HTTP/1.1\r\nAuthorization: Bearer ${key}` };
  const { perSecond, countByStatus } = await bench.load.repeat(port, request, connections, bench.sizes.requestsMs);
  if (Object.keys(countByStatus).some((status) => status !== '200'))
    throw new Error(`small requests were answered with ${JSON.stringify(countByStatus)}`);
  return perSecond;
}

async function runWrk(command: string, durationMs: number, url: string, key: string): Promise<number> {
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  const child = spawn(
    command,
    ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-H', `Authorization: Bearer ${key}`, url],
    { stdio: ['ignore', 'pipe', 'inherit'], timeout: durationMs + 20_000 },
  );
  let text = '';
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes.toString();
  });
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  const found = /Requests\/sec:\s+([\d.]+)/.exec(text);
  // A slow answer on a busy machine is no error; a refused or broken one is.
  const isBroken = /Non-2xx|Socket errors: (?!connect 0, read 0, write 0)/.test(text);
  if (found === null || isBroken) throw new Error(`wrk says: ${text}`);
  return Number(found[1]);
}
