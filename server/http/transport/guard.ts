// Refuses foreign hosts, and keys over plain HTTP, before routing.
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../domain/problem.ts';
import type { HttpDeps } from '../deps.ts';

/** Probes use the IP address as host. */
const openPaths = new Set(['/healthz', '/readyz']);

export function createGuard(deps: HttpDeps): (raw: IncomingMessage, path: string) => void {
  const isLocalInstallation = isLoopbackName(deps.baseUrl.hostname);
  const mayBePlain = deps.baseUrl.protocol === 'http:' && (isLocalInstallation || deps.allowInsecureHttp);
  return (raw, path) => {
    if (openPaths.has(path)) return;
    const { host } = raw.headers;
    if (countOf(raw, 'host') > 1)
      throw new Problem('invalid', 'request.malformed', 'The request has more than one Host header.');
    if (host === undefined) throw new Problem('invalid', 'request.malformed', 'The request has no Host header.');
    const isKnown =
      host === deps.baseUrl.host || (isLocalInstallation && isLoopbackName(hostName(host))) || deps.allowInsecureHttp;
    if (!isKnown) {
      throw new Problem(
        'invalid',
        'request.foreign_host',
        `This server answers at ${deps.baseUrl.origin}. Its operator can change that with WAYBILL_BASE_URL.`,
      );
    }
    if (
      mayBePlain ||
      isEncrypted(raw) ||
      isLoopbackPeer(raw) ||
      deps.trustProxy.contains(raw.socket.remoteAddress ?? '')
    )
      return;
    warnOfPlainHttp(deps, raw);
    throw new Problem(
      'forbidden',
      'request.insecure',
      'This server takes requests over HTTPS only. If a proxy passes them on, its operator must name the proxy in WAYBILL_TRUST_PROXY.',
    );
  };
}

/** Once an hour, since any client can cause it. */
function warnOfPlainHttp({ limits, ctx }: HttpDeps, raw: IncomingMessage): void {
  if (!limits.proxyWarnings.hit('plain HTTP', ctx.clock.now()).ok) return;
  ctx.log.warn(
    { peer: raw.socket.remoteAddress },
    'a request over plain HTTP was refused. If this is your proxy, add it to WAYBILL_TRUST_PROXY',
  );
}

/** Built-in TLS. */
function isEncrypted({ socket }: IncomingMessage): boolean {
  return 'encrypted' in socket;
}

function isLoopbackPeer(raw: IncomingMessage): boolean {
  const peer = raw.socket.remoteAddress;
  return peer === undefined || peer === '::1' || /^(::ffff:)?127\./.test(peer);
}

function hostName(host: string): string {
  return host.replace(/:\d{1,5}$/, '').replace(/^\[|\]$/g, '');
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '::1' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Node keeps only the first of some repeated headers. */
export function countOf(raw: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    const sent = raw.rawHeaders[index]!;
    if (sent.length === name.length && sent.toLowerCase() === name) count += 1;
  }
  return count;
}
