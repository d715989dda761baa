// c-icap with its virus_scan service in front of clamd, on loopback.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openScanner } from '#server/lib/scanners/address.ts';
import { type Child, freePorts, startChild, untilReady } from './child.ts';
import { type Clamd, startClamd } from './clamd.ts';
import type { Requirement } from './packages.ts';

const program = '/usr/bin/c-icap';

export const cIcapRequirement: Requirement = {
  name: 'c-icap',
  debianPackages: ['c-icap', 'libc-icap-mod-virus-scan'],
  isMet: () => existsSync(program) && modulesFolder() !== null,
};

export interface CIcap {
  /** For WAYBILL_SCANNER. */
  address: string;
  port: number;
  clamd: Clamd;
  /** Without its clamd. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends both and removes their folders. */
  remove(): Promise<void>;
}

export async function startCIcap(settings: string[] = []): Promise<CIcap> {
  const clamd = await startClamd();
  const folder = mkdtempSync(join(tmpdir(), 'waybill-c-icap-'));
  const [port] = (await freePorts(1)) as [number];
  writeFileSync(join(folder, 'c-icap.conf'), configuration({ folder, port, clamd, settings }));
  let child: Child | null = null;
  const start = async () => {
    child = await startChild({
      name: 'c-icap',
      command: program,
      args: ['-N', '-f', join(folder, 'c-icap.conf')],
      outputPath: join(folder, 'c-icap.log'),
    });
    const address = { host: '127.0.0.1', port, service: 'virus_scan', isTls: false };
    const scanner = openScanner({ kind: 'icap', address }, { timeoutMs: 5000, authorities: [] });
    await untilReady([child], async () => void (await scanner.version()), 60_000);
  };
  await start();
  const stop = async () => {
    await child?.stop();
    child = null;
  };
  return {
    address: `icap://127.0.0.1:${port}/virus_scan`,
    port,
    clamd,
    stop,
    start,
    async remove() {
      await stop();
      await clamd.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function modulesFolder(): string | null {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib').map((name) => join('/usr/lib', name, 'c_icap')) : [];
  return folders.find((folder) => existsSync(join(folder, 'virus_scan.so'))) ?? null;
}

interface Setup {
  folder: string;
  port: number;
  clamd: Clamd;
  settings: string[];
}

function configuration({ folder, port, clamd, settings }: Setup): string {
  const modules = modulesFolder();
  return `${[
    `Port 127.0.0.1:${port}`,
    `PidFile ${join(folder, 'c-icap.pid')}`,
    `CommandsSocket ${join(folder, 'c-icap.ctl')}`,
    `TmpDir ${folder}`,
    `ServerLog ${join(folder, 'server.log')}`,
    `AccessLog ${join(folder, 'access.log')}`,
    'LoadMagicFile /etc/c-icap/c-icap.magic',
    `ModulesDir ${modules}`,
    `ServicesDir ${modules}`,
    'StartServers 1',
    'MaxServers 1',
    'ThreadsPerChild 10',
    'Service virus_scan virus_scan.so',
    'Module common clamd_mod.so',
    `clamd_mod.ClamdSocket ${clamd.socketAddress.slice('clamd:'.length)}`,
    'virus_scan.DefaultEngine clamd',
    'virus_scan.ScanFileTypes TEXT DATA EXECUTABLE ARCHIVE GIF JPEG MSOFFICE',
    'virus_scan.SendPercentData 5',
    'virus_scan.StartSendPercentDataAfter 2M',
    'virus_scan.MaxObjectSize 50M',
    ...settings,
  ].join('\n')}\n`;
}
