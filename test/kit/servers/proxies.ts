// The supported proxies with our shipped configuration: only names, ports and paths are changed.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '#scripts/source-files.ts';
import { freePorts, startChild, untilReady, withOneRetry } from './child.ts';
import { findNginx } from './nginx.ts';
import type { Requirement } from './packages.ts';

const programs = { haproxy: '/usr/sbin/haproxy', caddy: '/usr/bin/caddy', apache2: '/usr/sbin/apache2' } as const;

export const opensslRequirement: Requirement = {
  name: 'openssl',
  debianPackages: ['openssl'],
  isMet: () => existsSync('/usr/bin/openssl'),
};

export const proxyRequirements: Requirement[] = [
  ...Object.entries(programs).map(([name, path]) => ({ name, debianPackages: [name], isMet: () => existsSync(path) })),
  opensslRequirement,
];

export const proxyKinds = ['nginx', 'HAProxy', 'Caddy', 'Apache'] as const;
export type ProxyKind = (typeof proxyKinds)[number];

export interface ProxyProcess {
  /** As PEM. */
  certificate: string;
  stop(): Promise<void>;
}

interface Place {
  folder: string;
  port: number;
  plainPort: number;
  machines: readonly string[];
}

interface Recipe {
  file: string;
  /** Turns the shipped file into one that runs here. */
  adapt(text: string, place: Place): string;
  command(configPath: string, place: Place): [program: string, args: string[]];
}

const recipes: Record<ProxyKind, Recipe> = {
  nginx: {
    file: 'nginx.conf',
    adapt: (text, place) => `daemon off;
master_process off;
pid ${place.folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${place.folder}/${name};`).join('\n')}
${forMachines(text, place, /^ *server 127\.0\.0\.1:8080.*$/m, (machine, line) =>
  line.replace('127.0.0.1:8080', machine),
)
  .replace('listen 443', `listen 127.0.0.1:${place.port}`)
  .replace('listen 80', `listen 127.0.0.1:${place.plainPort}`)
  .replace('/etc/ssl/certs/files.example.com.pem', `${place.folder}/certificate.pem`)
  .replace('/etc/ssl/private/files.example.com.key', `${place.folder}/key.pem`)
  .replaceAll('files.example.com', 'localhost')}
}`,
    command: (path, { folder }) => [findNginx()!, ['-p', folder, '-c', path, '-e', join(folder, 'error.log')]],
  },
  HAProxy: {
    file: 'haproxy.cfg',
    adapt: (text, place) =>
      forMachines(text, place, /^ *server one 127\.0\.0\.1:8080.*$/m, (machine, line, index) =>
        line.replace('one', `number${index}`).replace('127.0.0.1:8080', machine),
      )
        .replace('bind :443', `bind 127.0.0.1:${place.port}`)
        .replace('bind :80', `bind 127.0.0.1:${place.plainPort}`)
        .replace('/etc/haproxy/files.example.com.pem', `${place.folder}/both.pem`),
    command: (path) => [programs.haproxy, ['-db', '-f', path]],
  },
  Caddy: {
    file: 'Caddyfile',
    adapt: (text, place) => `{
	admin off
	auto_https disable_redirects
	http_port ${place.plainPort}
	storage file_system ${place.folder}/storage
}
${text
  .replace('127.0.0.1:8080', place.machines.join(' '))
  .replace(
    /^files\.example\.com \{/m,
    `https://localhost:${place.port} {\n\ttls ${place.folder}/certificate.pem ${place.folder}/key.pem`,
  )}`,
    command: (path) => [programs.caddy, ['run', '--adapter', 'caddyfile', '--config', path]],
  },
  Apache: {
    file: 'apache.conf',
    adapt: (text, place) => `ServerRoot ${place.folder}
PidFile ${place.folder}/apache.pid
ErrorLog ${place.folder}/error.log
Mutex file:${place.folder}
ServerName localhost
User www-data
Group www-data
${[
  'mpm_event',
  'authz_core',
  'alias',
  'socache_shmcb',
  'ssl',
  'http2',
  'proxy',
  'proxy_http',
  'headers',
  'unique_id',
  'reqtimeout',
]
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join('\n')}
Listen 127.0.0.1:${place.port}
Listen 127.0.0.1:${place.plainPort}
${text
  .replace('127.0.0.1:8080', place.machines[0]!)
  .replace('*:443', `127.0.0.1:${place.port}`)
  .replace('*:80', `127.0.0.1:${place.plainPort}`)
  .replace('/etc/ssl/certs/files.example.com.pem', `${place.folder}/certificate.pem`)
  .replace('/etc/ssl/private/files.example.com.key', `${place.folder}/key.pem`)
  .replaceAll('files.example.com', 'localhost')}`,
    command: (path) => [programs.apache2, ['-DFOREGROUND', '-f', path]],
  },
};

/** Repeats the line of one machine for each of them. */
function forMachines(
  text: string,
  { machines }: Place,
  line: RegExp,
  write: (machine: string, line: string, index: number) => string,
): string {
  if (!line.test(text)) throw new Error(`no line like ${line} in the file that we ship`);
  return text.replace(line, (found) => machines.map((machine, index) => write(machine, found, index)).join('\n'));
}

/** Listens at `https://localhost:<port>` with its own certificate. */
export function startProxy(kind: ProxyKind, { port, machines }: { port: number; machines: readonly string[] }) {
  return startAdapted(recipes[kind], kind, { port, machines });
}

/** The file for nginx without its certificate, at `http://127.0.0.1:<port>`. */
export function startPlainNginx(where: { port: number; machines: readonly string[] }) {
  const { nginx } = recipes;
  const adapt: Recipe['adapt'] = (text, place) =>
    nginx.adapt(text.replace(' ssl http2', '').replaceAll(/^ *ssl_.*\n/gm, ''), place);
  return startAdapted({ ...nginx, adapt }, 'nginx', where);
}

function startAdapted(recipe: Recipe, kind: ProxyKind, { port, machines }: Pick<Place, 'port' | 'machines'>) {
  return withOneRetry(async (): Promise<ProxyProcess> => {
    const folder = await mkdtemp(join(tmpdir(), `waybill-${kind.toLowerCase()}-`));
    // Apache drops root.
    await chmod(folder, 0o755);
    const [plainPort] = await freePorts(1);
    await makeCertificate(folder);
    const place: Place = { folder, port, plainPort: plainPort!, machines };
    const shipped = await readFile(join(repositoryRoot, 'docs/operate/proxies', recipe.file), 'utf8');
    const configPath = join(folder, 'proxy.conf');
    await writeFile(configPath, recipe.adapt(shipped, place));
    const [command, args] = recipe.command(configPath, place);
    const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
    const child = await startChild({ name: kind, command, args, outputPath: join(folder, 'output.log'), env });
    const stop = async () => {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    };
    const listens = async () => void (await fetch(`http://127.0.0.1:${plainPort}/`, { redirect: 'manual' }));
    // Caddy opens the plain port only for redirects, which are off here.
    const probe = kind === 'Caddy' ? () => answersTls(port) : listens;
    await untilReady([child], probe, 60_000).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    return { certificate: await readFile(join(folder, 'certificate.pem'), 'utf8'), stop };
  });
}

async function answersTls(port: number): Promise<void> {
  const { connect } = await import('node:tls');
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

export async function makeCertificate(folder: string): Promise<void> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const args = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 10 -subj /CN=localhost';
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  await promisify(execFile)('/usr/bin/openssl', [...args.split(' '), ...names, '-keyout', key, '-out', certificate]);
  await writeFile(join(folder, 'both.pem'), (await readFile(certificate, 'utf8')) + (await readFile(key, 'utf8')));
}
