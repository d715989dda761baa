// nginx for tests and for the benchmark, in the foreground with its own folder, on loopback.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, untilReady } from './child.ts';
import type { Requirement } from './packages.ts';

const places = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'];

export const nginxRequirement: Requirement = {
  name: 'nginx with its WebDAV module',
  debianPackages: ['nginx-light'],
  isMet: () => findNginx() !== null,
};

export function findNginx(): string | null {
  for (const path of places.filter((place) => existsSync(place))) {
    try {
      // nginx prints its options on standard error.
      const text = execFileSync('/bin/sh', ['-c', '"$0" -V 2>&1', path], { encoding: 'utf8' });
      if (text.includes('--with-http_dav_module')) return path;
    } catch {}
  }
  return null;
}

/** Starts with these `server` blocks; resolves when the port accepts connections. */
export async function startNginxWith(servers: string, port: number): Promise<{ stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-nginx-'));
  const configPath = join(folder, 'nginx.conf');
  writeFileSync(configPath, configuration(folder, servers));
  const child = await startChild({
    name: 'nginx',
    command: findNginx()!,
    args: ['-p', folder, '-c', configPath, '-e', join(folder, 'error.log')],
    outputPath: join(folder, 'nginx.log'),
  });
  const stop = async () => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady([child], async () => void (await fetch(`http://127.0.0.1:${port}/`)), 60_000);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

function configuration(folder: string, servers: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 512; }
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
${servers}
}
`;
}
