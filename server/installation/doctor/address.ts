// Who answers where the service listens, and what the proxy makes of requests to the public address.
import { request } from 'node:http';
import { lookThrough, probeToken } from '../../actions/system/connection-test.ts';
import type { Config } from '../../config.ts';
import { findMeta } from '../../db/installation.ts';
import type { LockedDb } from '../../db/schema.ts';
import type { Random } from '../../domain/ports.ts';
import { readArrived } from '../../http/api/admin/system.ts';
import type { BaseClock } from '../../lib/clock.ts';
import { keyCheck, openKeys } from '../keys.ts';
import { surroundingsOf } from '../settings.ts';
import { type Finding, fault, ok, warn } from './findings.ts';
import { findingsOf } from './mail.ts';

const patienceMs = 8000;

/** What opens the probe of this installation; null while there is no key for it. */
export async function tokenOf(
  config: Config,
  db: LockedDb,
  { random, clock }: { random: Random; clock: BaseClock },
): Promise<string | null> {
  // A first start would make a key.
  if ((await findMeta(db.read, keyCheck)) === null) return null;
  const serviceClock = { now: clock.now, uptime: () => 0, fault: () => null };
  const { keys } = await openKeys(config, db, { random, clock: serviceClock });
  return probeToken({ clock, keys });
}

/** Is it us that listens there? */
export async function lookAtListener(config: Config): Promise<Finding[]> {
  if (config.role === 'jobs') return [];
  const where = config.listen.kind === 'port' ? `${config.listen.host}:${config.listen.port}` : config.listen.path;
  const reply = await ask(config, '/readyz').catch((error: NodeJS.ErrnoException) => error);
  if (reply instanceof Error) {
    const isSilent = !/ECONNREFUSED|ENOENT/.test(reply.code ?? '');
    return isSilent
      ? [fault('service', `Something at ${where} does not answer (${reply.message}).`, otherProgram)]
      : [
          warn(
            'service',
            `Nothing listens at ${where}: the service is not running.`,
            'waybill-server start (or: systemctl start waybill)',
          ),
        ];
  }
  const state = readState(reply.body);
  if (state === null)
    return [fault('service', `Another program answers at ${where}.`, otherProgram, reply.body.slice(0, 100))];
  if (reply.status === 200) return [ok('service', `It answers at ${where} and is ready.`)];
  return [
    fault(
      'service',
      `It answers at ${where} and is not ready: ${state}.`,
      'The looks above, and the log of the service, say why.',
    ),
  ];
}

const otherProgram = 'Stop that program (ss -ltnp shows it), or set WAYBILL_LISTEN to another port.';

function ask({ listen }: Config, path: string): Promise<{ status: number; body: string }> {
  const everywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' } as Record<string, string>;
  const place =
    listen.kind === 'port'
      ? { host: everywhere[listen.host] ?? listen.host, port: listen.port }
      : { socketPath: listen.path };
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const asking = request({ ...place, path, agent: false, timeout: patienceMs }, (response) => {
    let body = '';
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      body = (body + text).slice(0, 2000);
    });
    response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    response.on('error', reject);
  });
  asking.on('timeout', () => asking.destroy(new Error('no answer in time')));
  asking.on('error', reject);
  asking.end();
  return promise;
}

/** What our own /readyz says; null for anything else. */
function readState(body: string): string | null {
  try {
    const { status, failing } = JSON.parse(body) as { status?: unknown; failing?: unknown };
    if (typeof status !== 'string') return null;
    return Array.isArray(failing) ? failing.join(', ') : status;
  } catch {
    return null;
  }
}

/** Through the public address and back to a running service. */
export async function lookAtProxy(config: Config, token: string): Promise<Finding[]> {
  const checks = await lookThrough(surroundingsOf(config), token, readArrived);
  return checks.flatMap((check) => findingsOf('public address', check));
}
