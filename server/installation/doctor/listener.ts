// Checks which program answers where the service listens.
import { request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Config } from '../../config.ts';
import { isTlsServed } from '../../config-tls.ts';
import { findTrustRisk } from '../../lib/proxy-trust.ts';
import { type Finding, fault, ok, warn } from './findings.ts';

const patienceMs = 8000;

export type Listener = Pick<Config, 'listen' | 'role'> & Partial<Pick<Config, 'tlsCertFile' | 'acmeDomains'>>;

export async function checkListener(config: Listener): Promise<Finding[]> {
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
            'systemctl start waybill (without systemd: waybill-server start)',
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
      'The checks above and the log of the service say why.',
    ),
  ];
}

/** Whether our service answers, ready or not. */
export async function isAnswering(config: Listener): Promise<boolean> {
  const reply = config.role === 'jobs' ? null : await ask(config, '/readyz').catch(() => null);
  return reply !== null && readState(reply.body) !== null;
}

export async function checkTrustedProxies(config: Pick<Config, 'trustProxy' | 'listen'>): Promise<Finding[]> {
  const risk = findTrustRisk(config);
  return risk === null ? [] : [warn('trusted proxies', risk.sentence, risk.cure)];
}

const otherProgram = 'Stop that program (ss -ltnp shows it), or set WAYBILL_LISTEN to another port.';

function ask(
  { listen, tlsCertFile = null, acmeDomains = [] }: Listener,
  path: string,
): Promise<{ status: number; body: string }> {
  const everywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' } as Record<string, string>;
  const place =
    listen.kind === 'port'
      ? { host: everywhere[listen.host] ?? listen.host, port: listen.port }
      : { socketPath: listen.path };
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  // The certificate is for the public name; another check reads when it ends.
  const options = { ...place, path, agent: false, timeout: patienceMs, rejectUnauthorized: false };
  const asking = (isTlsServed({ tlsCertFile, acmeDomains }) ? tlsRequest : request)(options, (response) => {
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

/** The body of our /readyz; null for any other response. */
function readState(body: string): string | null {
  try {
    const { status, failing } = JSON.parse(body) as { status?: unknown; failing?: unknown };
    if (typeof status !== 'string') return null;
    return Array.isArray(failing) ? failing.join(', ') : status;
  } catch {
    return null;
  }
}
