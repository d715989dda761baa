// PgBouncer for tests, in transaction mode, in the foreground with its own folder, on loopback.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, startChild, untilReady } from './child.ts';
import type { Requirement } from './packages.ts';
import { selectOne, serverUser } from './postgres.ts';

const places = ['/usr/sbin/pgbouncer', '/usr/local/sbin/pgbouncer', '/usr/local/bin/pgbouncer'];

export const pgbouncerRequirement: Requirement = {
  name: 'PgBouncer',
  debianPackages: ['pgbouncer'],
  isMet: () => findPgbouncer() !== null,
};

export function findPgbouncer(): string | null {
  return places.find((path) => existsSync(path)) ?? null;
}

/** In front of the server at this address, with a limit of connections for each database. */
export async function startPgbouncer(
  serverUrl: string,
  poolSize: number,
): Promise<{ through(url: string): string; stop(): Promise<void> }> {
  const { hostname, port: serverPort } = new URL(serverUrl);
  const [port] = await freePorts(1);
  const folder = mkdtempSync(join(tmpdir(), 'waybill-pgbouncer-'));
  await chmod(folder, 0o777); // it refuses to run as root
  const [configPath, usersPath] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')];
  writeFileSync(usersPath, '"postgres" ""\n');
  writeFileSync(
    configPath,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${usersPath}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
`,
  );
  const user = await serverUser();
  const child = await startChild({
    name: 'PgBouncer',
    command: findPgbouncer()!,
    args: [configPath],
    outputPath: join(folder, 'pgbouncer.log'),
    stopSignal: 'SIGTERM',
    ...(user ? { user } : {}),
  });
  const stop = async () => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const through = (url: string) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href;
  try {
    await untilReady([child], () => selectOne(through(serverUrl)), 60_000);
  } catch (error) {
    await stop();
    throw error;
  }
  return { through, stop };
}
