// clamd with signatures of the test: EICAR and one more, in a folder of its own, on loopback.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openScanner } from '#server/lib/scanners/address.ts';
import { eicar } from '#server/lib/scanners/self-test.ts';
import { type Child, freePorts, startChild, untilReady } from './child.ts';
import type { Requirement } from './packages.ts';

const program = '/usr/sbin/clamd';

export const clamdRequirement: Requirement = {
  name: 'clamd (the virus scanner)',
  debianPackages: ['clamav-daemon'],
  isMet: () => existsSync(program),
};

/** Content that a signature of the test finds. */
export const malware = 'waybill-test-malware-4711';

export interface Clamd {
  /** For WAYBILL_SCANNER. */
  address: string;
  socketAddress: string;
  stop(): Promise<void>;
  /** With further signatures, as lines of a .ndb file. */
  restart(more?: { signatures?: string[]; options?: string[] }): Promise<void>;
}

export async function startClamd(options: string[] = []): Promise<Clamd> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-clamd-'));
  const [port] = (await freePorts(1)) as [number];
  const socket = join(folder, 'clamd.sock');
  let child: Child | null = null;
  const start = async (more: { signatures?: string[]; options?: string[] } = {}) => {
    const lines = [signature('Waybill.Test.Eicar', eicar), signature('Waybill.Test.Malware', Buffer.from(malware))];
    writeFileSync(join(folder, 'test.ndb'), `${[...lines, ...(more.signatures ?? [])].join('\n')}\n`);
    writeFileSync(join(folder, 'clamd.conf'), configuration(folder, port, [...options, ...(more.options ?? [])]));
    child = await startChild({
      name: 'clamd',
      command: program,
      args: ['--foreground', '-c', join(folder, 'clamd.conf')],
      outputPath: join(folder, 'clamd.log'),
    });
    const scanner = openScanner(
      { kind: 'clamd', address: { host: '127.0.0.1', port } },
      { timeoutMs: 5000, authorities: [] },
    );
    await untilReady([child], async () => void (await scanner.version()), 60_000);
  };
  await start();
  return {
    address: `clamd://127.0.0.1:${port}`,
    socketAddress: `clamd:${socket}`,
    async stop() {
      await child?.stop();
      child = null;
      rmSync(folder, { recursive: true, force: true });
    },
    async restart(more) {
      await child?.stop();
      await start(more);
    },
  };
}

export function signature(name: string, bytes: Buffer): string {
  return `${name}:0:*:${bytes.toString('hex')}`;
}

function configuration(folder: string, port: number, more: string[]): string {
  return `${[
    'TCPAddr 127.0.0.1',
    `TCPSocket ${port}`,
    `LocalSocket ${join(folder, 'clamd.sock')}`,
    `DatabaseDirectory ${folder}`,
    `PidFile ${join(folder, 'clamd.pid')}`,
    'Foreground yes',
    ...more,
  ].join('\n')}\n`;
}
