// Detects values of WAYBILL_TRUST_PROXY that let clients choose their address.
import type { Trusted } from './client-address.ts';

export interface TrustRisk {
  sentence: string;
  cure: string;
}

export interface ProxyTrust {
  trustProxy: Trusted;
  listen: { kind: 'port'; host: string } | { kind: 'socket' };
}

/** Null if there is no risk. */
export function findTrustRisk({ trustProxy, listen }: ProxyTrust): TrustRisk | null {
  const { wide, hops, isAnyone } = trustProxy;
  if (wide.length > 0)
    return {
      sentence: `WAYBILL_TRUST_PROXY trusts ${wide.join(', ')}: every machine there can choose the address under which it is limited and logged.`,
      cure: 'Name the exact addresses of your proxies, such as WAYBILL_TRUST_PROXY=10.0.0.5,10.0.0.6.',
    };
  const isReachable = listen.kind === 'port' && !isLoopback(listen.host);
  if (isAnyone && isReachable)
    return {
      sentence: `WAYBILL_TRUST_PROXY=${hops} trusts every connection: a client that does not come through the proxy can choose the address under which it is limited and logged.`,
      cure: `Also name the address of the proxy, such as WAYBILL_TRUST_PROXY=10.0.0.5,${hops}, or let WAYBILL_LISTEN be 127.0.0.1.`,
    };
  return null;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}
