// The service as its own process, one worker with SQLite and disk, for tests that measure its memory.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { repositoryRoot } from '#scripts/source-files.ts';
import { ApiClient } from './client.ts';
import { executableVariable } from './executable.ts';
import { environmentForPrograms } from './outside.ts';
import { serverProgram } from './server-program.ts';
import { type Child, freePorts, startChild } from './servers/child.ts';

export interface ChildServer {
  url: string;
  admin: ApiClient;
  /** Current resident memory; resets the peak. */
  weigh(): Promise<number>;
  /** Peak since the last `weigh`. */
  peakBytes(): Promise<number>;
  stop(): Promise<void>;
}

const adminKey = 'AdminKeyAdminKeyAdmin0';

export async function startChildServer(environment: Record<string, string> = {}): Promise<ChildServer> {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-child-'));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const executable = process.env[executableVariable];
  const child = await startChild({
    name: 'waybill-server',
    command: executable ?? process.execPath,
    args: executable === undefined ? [serverProgram(), 'start'] : ['start'],
    cwd: repositoryRoot,
    outputPath: join(folder, 'output.log'),
    env: {
      ...environmentForPrograms(),
      WAYBILL_DATA_DIR: join(folder, 'data'),
      WAYBILL_LISTEN: `127.0.0.1:${port}`,
      WAYBILL_BASE_URL: url,
      WAYBILL_WORKERS: '1',
      WAYBILL_MIN_FREE_SPACE: '0',
      WAYBILL_METRICS_LISTEN: 'off',
      WAYBILL_ADMIN_EMAIL: 'root@example.com',
      WAYBILL_ADMIN_API_KEY: adminKey,
      ...environment,
    },
  });
  await untilReady(url, child);
  return {
    url,
    admin: new ApiClient(url, adminKey, 'root@example.com'),
    async weigh() {
      await writeFile(`/proc/${child.pid}/clear_refs`, '5');
      return statusBytes(child.pid, 'VmRSS');
    },
    peakBytes: () => statusBytes(child.pid, 'VmHWM'),
    async stop() {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(url: string, child: Child): Promise<void> {
  for (;;) {
    if (!child.isRunning()) throw new Error(`the service ended while starting:\n${child.output()}`);
    const reply = await fetch(`${url}/readyz`).catch(() => null);
    await reply?.arrayBuffer();
    if (reply?.status === 200) return;
    await pause(50);
  }
}

async function statusBytes(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1]) * 1024;
}
