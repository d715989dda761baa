// Starts our server as operators do and prepares measurements. The load generator sends the measured requests.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { delimiter, dirname, join } from 'node:path';
import { repositoryRoot } from '#scripts/source-files.ts';
import { freePorts, startChild, untilReady } from '#test/kit/servers/child.ts';
import type { Bench } from './bench.ts';
import type { OnceResult, RawRequest } from './load.ts';

export interface Waybill {
  port: number;
  /** Of the started process; workers are its children. */
  pid: number;
  dataDir: string;
  /** The API key of the administrator. */
  key: string;
  /** A request that is not measured. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>;
  /** Deletes stored files, so that rounds do not fill the disk. Their rows stay. */
  dropFiles(): void;
  stop(): Promise<void>;
}

interface CallOptions {
  json?: unknown;
  bytes?: string;
  headers?: Record<string, string>;
  key?: string | null;
}

export const benchKey = 'BenchKeyBenchKeyBench0';
const readyTimeoutMs = 300_000;

export async function startWaybill(
  bench: Bench,
  options: { name: string; workers: number; dataDir?: string; environment?: Record<string, string> },
): Promise<Waybill> {
  const dataDir = options.dataDir ?? join(bench.folder, options.name);
  mkdirSync(dataDir, { recursive: true });
  const [port] = (await freePorts(1)) as [number];
  const child = await startChild({
    name: `waybill (${options.name})`,
    command: '/bin/sh',
    args: ['-c', startCommand()],
    cwd: repositoryRoot,
    outputPath: join(bench.folder, `${options.name}.log`),
    env: {
      ...waybillEnvironment(port, dataDir, { WAYBILL_WORKERS: String(options.workers), ...options.environment }),
      ...profiling(bench.profileFolder, options.name),
    },
  });
  const stop = () => child.stop(10_000);
  bench.atEnd(stop);
  const isTls = options.environment?.WAYBILL_TLS_CERT_FILE !== undefined;
  await untilReady([child], () => (isTls ? probeReadyThroughTls(port) : probeReady(port)), readyTimeoutMs);
  return {
    port,
    pid: child.pid,
    dataDir,
    key: benchKey,
    call: (method, path, callOptions) => call(port, method, path, callOptions),
    dropFiles: () => removeFilesBelow(join(dataDir, 'files')),
    stop,
  };
}

/** The last command of `npm start`; the build is up to date. */
function startCommand(): string {
  const manifest = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return manifest.scripts.start.split('&&').at(-1)!;
}

function profiling(folder: string | null, name: string): NodeJS.ProcessEnv {
  return folder === null ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${join(folder, name)}` };
}

/** Without settings of the user's shell. */
export function waybillEnvironment(port: number, dataDir: string, more: Record<string, string> = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('WAYBILL_'));
  return {
    ...Object.fromEntries(inherited),
    // The Node that runs the benchmark.
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
    WAYBILL_LISTEN: `127.0.0.1:${port}`,
    WAYBILL_DATA_DIR: dataDir,
    WAYBILL_API_RATE: '0',
    WAYBILL_LOG_LEVEL: 'warn',
    WAYBILL_METRICS_LISTEN: 'off',
    WAYBILL_ADMIN_EMAIL: 'bench@example.com',
    WAYBILL_ADMIN_PASSWORD: 'seven lamps under a quiet river',
    WAYBILL_ADMIN_API_KEY: benchKey,
    WAYBILL_SHUTDOWN_GRACE: '2s',
    ...more,
  };
}

/** Through TLS; the certificate is not checked. */
function probeReadyThroughTls(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, timeout: 1000 };
    const request = get(options, (answer) => {
      answer.resume();
      if (answer.statusCode === 200) resolve();
      else reject(new Error(`not ready: ${answer.statusCode}`));
    });
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', reject);
  });
}

export async function probeReady(port: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1000) });
  if (answer.status !== 200) throw new Error(`not ready: ${await answer.text()}`);
}

async function call(port: number, method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const { json, bytes, headers, key = benchKey } = options;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(bytes === undefined ? {} : { body: bytes }),
  });
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

/** One upload of random data in a single request. */
export function uploadRequest(bodyBytes: number, key: string = benchKey): RawRequest {
  return {
    head:
      `POST /link/attachments/upload?filename=noise.bin HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n` +
      'Accept: application/json\r\nContent-Type: application/octet-stream',
    bodyBytes,
  };
}

/** The ids of the uploads. Fails unless every file is complete and has a checksum. */
export function uploadedIds(result: OnceResult, bodyBytes: number): string[] {
  return result.answers.map((answer) => {
    const { attachment } = JSON.parse(answer.text) as { attachment: Record<string, unknown> };
    const isGood = attachment.size === bodyBytes && /^[0-9a-f]{64}$/.test(String(attachment.checksum));
    if (!isGood) throw new Error(`an upload was answered with ${answer.text.slice(0, 400)}`);
    return String(attachment.id);
  });
}

export async function createLink(server: Waybill, attachmentId: string): Promise<string> {
  const answer = await server.call('POST', '/link', { json: { link: { attachment: attachmentId } } });
  return ((await answer.json()) as { link: { id: string } }).link.id;
}

/** The address after a click on Download. Each ticket serves one download here. */
export async function downloadAddress(server: Waybill, linkId: string): Promise<string> {
  const answer = await server.call('POST', `/link/${linkId}/download`, {
    key: null,
    headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' },
  });
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`a click on Download was answered with ${answer.status}`);
  return location;
}

export async function downloadRequest(server: Waybill, linkId: string): Promise<RawRequest> {
  return { head: `GET ${await downloadAddress(server, linkId)} HTTP/1.1\r\nAccept: */*` };
}

function removeFilesBelow(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    // Without this file, the store counts as not mounted and refuses uploads.
    if (entry.isFile() && entry.name !== 'waybill-installation')
      rmSync(join(entry.parentPath, entry.name), { force: true });
  }
}
