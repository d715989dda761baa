// node:http as a reference: a file stream and a small JSON answer. A separate process.
import { randomFillSync } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts, startChild, untilReady } from '#test/kit/servers/child.ts';
import type { Bench } from '../bench.ts';

export interface NodeHttp {
  port: number;
  writeNoise(name: string, bytes: number): void;
}

const answerName = 'answer.json';

/** The default of 64 KiB has less than half the speed. */
const streamBufferBytes = 1024 * 1024;

if (import.meta.main) {
  const [folder, port] = process.argv.slice(2) as [string, string];
  serve(folder, Number(port));
}

function serve(folder: string, port: number): void {
  const json = readFileSync(join(folder, answerName), 'utf8');
  const jsonBytes = Buffer.byteLength(json);
  createServer((request, response) => {
    if (request.url === '/account') {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': jsonBytes });
      response.end(json);
      return;
    }
    const path = join(folder, basename(request.url ?? ''));
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': statSync(path).size });
    createReadStream(path, { highWaterMark: streamBufferBytes }).pipe(response);
  }).listen(port, '127.0.0.1');
}

/** Serves the written files; `/account` returns the given JSON. */
export async function startNodeHttp(bench: Bench, json = '{}'): Promise<NodeHttp> {
  const folder = join(bench.folder, 'node-http');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, answerName), json);
  const [port] = (await freePorts(1)) as [number];
  const child = await startChild({
    name: 'node:http',
    command: process.execPath,
    args: [fileURLToPath(import.meta.url), folder, String(port)],
    outputPath: join(bench.folder, 'node-http.log'),
  });
  bench.atEnd(() => child.stop());
  const probe = async () => {
    await fetch(`http://127.0.0.1:${port}/account`, { signal: AbortSignal.timeout(1000) });
  };
  await untilReady([child], probe, 20_000);
  return { port, writeNoise: (name, bytes) => writeNoise(join(folder, name), bytes) };
}

function writeNoise(path: string, bytes: number): void {
  const block = randomFillSync(Buffer.allocUnsafeSlow(streamBufferBytes));
  const file = openSync(path, 'w');
  for (let left = bytes; left > 0; left -= block.length) writeSync(file, block, 0, Math.min(left, block.length));
  closeSync(file);
}
