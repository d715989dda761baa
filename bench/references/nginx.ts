// nginx as a reference: WebDAV PUT into a folder, and the same folder served with sendfile, without an access log.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePorts, startChild, untilReady } from '#test/kit/servers/child.ts';
import { findNginx, nginxRequirement } from '#test/kit/servers/nginx.ts';
import { ensureInstalled } from '#test/kit/servers/packages.ts';
import type { Bench } from '../bench.ts';
import type { RawRequest } from '../load.ts';

export interface Nginx {
  port: number;
  drop(name: string): void;
}

export function nginxPut(name: string, bodyBytes: number): RawRequest {
  return { head: `PUT /${name} HTTP/1.1`, bodyBytes };
}

/** Null, after a message, if nginx is missing and cannot be installed. */
interface NginxOptions {
  workers?: number;
  /** PEM file with a certificate and its key, for TLS. */
  certificatePath?: string;
}

export async function startNginx(
  bench: Bench,
  { workers = 1, certificatePath }: NginxOptions = {},
): Promise<Nginx | null> {
  try {
    await ensureInstalled([nginxRequirement], bench.say);
  } catch {
    bench.say(
      `nginx with ngx_http_dav_module is missing and could not be installed (that needs Debian, root and the network). ` +
        `Install it (Debian: "apt-get install ${nginxRequirement.debianPackages.join(' ')}") for the rows against nginx.`,
    );
    return null;
  }
  const folder = join(bench.folder, certificatePath === undefined ? 'nginx' : 'nginx-tls');
  const files = join(folder, 'files');
  mkdirSync(files, { recursive: true });
  const [port] = (await freePorts(1)) as [number];
  const configPath = join(folder, 'nginx.conf');
  writeFileSync(configPath, configuration({ folder, port, workers, certificatePath }));
  const child = await startChild({
    name: 'nginx',
    command: findNginx()!,
    args: ['-p', folder, '-c', configPath, '-e', join(folder, 'error.log')],
    outputPath: join(bench.folder, 'nginx.log'),
    stopSignal: 'SIGTERM',
  });
  bench.atEnd(() => child.stop());
  await untilReady([child], () => probe(port), 10_000);
  return { port, drop: (name) => rmSync(join(files, name), { force: true }) };
}

/** With TLS nginx answers plain HTTP too, with 400. */
async function probe(port: number): Promise<void> {
  await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1000) });
}

function configuration({
  folder,
  port,
  workers = 1,
  certificatePath,
}: NginxOptions & { folder: string; port: number }) {
  const tls = certificatePath && `ssl_certificate ${certificatePath}; ssl_certificate_key ${certificatePath};`;
  // The default user of workers may not write to our folder.
  const processes = `${process.getuid?.() === 0 ? `user ${userInfo().username};\n` : ''}worker_processes ${workers};`;
  return `
daemon off;
${workers > 1 ? processes : 'master_process off;'}
pid ${folder}/nginx.pid;
events { worker_connections 512; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  default_type application/octet-stream;
  client_max_body_size 0;
  client_body_temp_path ${folder}/incoming;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port}${tls ? ' ssl' : ''};
    ${tls ?? ''}
    root ${folder}/files;
    location / { dav_methods PUT DELETE; create_full_put_path on; }
  }
}
`;
}
