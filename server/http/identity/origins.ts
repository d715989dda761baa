// The client's address behind the proxies that the operator trusts.
import type { IncomingMessage } from 'node:http';
import type { Origin } from '../../domain/caller.ts';
import { clientAddress } from '../../lib/client-address.ts';
import type { HttpDeps } from '../deps.ts';
import type { Exchange } from '../transport/router.ts';

export function originOf(deps: HttpDeps, { raw, requestId }: Pick<Exchange, 'raw' | 'requestId'>): Origin {
  return {
    address: addressOf(deps, raw),
    agent: (raw.headers['user-agent'] ?? '').slice(0, 512),
    requestId,
  };
}

export function addressOf(deps: HttpDeps, raw: IncomingMessage): string {
  const peer = raw.socket.remoteAddress ?? '127.0.0.1';
  const forwardedFor = raw.headers['x-forwarded-for'];
  if (forwardedFor !== undefined && !deps.trustProxy.contains(peer)) warnOfProxy(deps, peer);
  return clientAddress({ peer, forwardedFor, trusted: deps.trustProxy });
}

/** Behind an untrusted proxy all clients share every limit by address. */
function warnOfProxy(deps: HttpDeps, peer: string): void {
  if (!deps.limits.proxyWarnings.hit('', deps.ctx.clock.now()).ok) return;
  deps.ctx.log.warn(
    { peer },
    'X-Forwarded-For came from an address that is not a trusted proxy and was ignored. If this is your proxy, add it to WAYBILL_TRUST_PROXY: until then all of its visitors count as one',
  );
}
