// @tus/server with @tus/file-store as a reference, in a separate process. A file is sent in one request (creation with upload).
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';
import { freePorts, startChild, untilReady } from '#test/kit/servers/child.ts';
import type { Bench } from '../bench.ts';
import type { RawRequest } from '../load.ts';

export interface Tus {
  port: number;
  dropFiles(): void;
}

if (import.meta.main) {
  const [folder, port] = process.argv.slice(2) as [string, string];
  new Server({ path: '/files', datastore: new FileStore({ directory: folder }) }).listen(Number(port), '127.0.0.1');
}

export function tusUpload(bodyBytes: number): RawRequest {
  return {
    head:
      'POST /files HTTP/1.1\r\nTus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\n' +
      `Upload-Length: ${bodyBytes}`,
    bodyBytes,
  };
}

export async function startTus(bench: Bench): Promise<Tus> {
  const folder = join(bench.folder, 'tus');
  mkdirSync(folder, { recursive: true });
  const [port] = (await freePorts(1)) as [number];
  const child = await startChild({
    name: '@tus/server',
    command: process.execPath,
    args: [fileURLToPath(import.meta.url), folder, String(port)],
    outputPath: join(bench.folder, 'tus.log'),
  });
  bench.atEnd(() => child.stop());
  const probe = async () => {
    await fetch(`http://127.0.0.1:${port}/files`, { method: 'OPTIONS', signal: AbortSignal.timeout(1000) });
  };
  await untilReady([child], probe, 20_000);
  return {
    port,
    dropFiles: () => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
    },
  };
}
