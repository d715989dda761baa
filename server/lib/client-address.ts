// Whose request this is (security D17): the address of the socket, unless the socket belongs to a proxy the operator
// trusts. Only X-Forwarded-For is ever believed, and only from such a proxy.
import { BlockList, isIP } from 'node:net';
import { canonicalIp } from './ip.ts';

export interface Trusted {
  contains(ip: string): boolean;
}

export interface RequestOrigin {
  /** The address of the socket. */
  peer: string;
  /** The header as received; several headers in their order. */
  forwardedFor: string | readonly string[] | undefined;
  trusted: Trusted;
}

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const PRIVATE = [
  ...LOOPBACK,
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
];
const KEYWORDS: Record<string, readonly string[]> = { none: [], loopback: LOOPBACK, private: PRIVATE };

/**
 * `none`, `loopback`, `private`, or a list of these, addresses and networks: `loopback, 10.1.0.0/16`. Throws a
 * RangeError that names the wrong entry.
 */
export function parseTrusted(text: string): Trusted {
  const list = new BlockList();
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  for (const entry of entries.flatMap((name) => (Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name]! : [name]))) {
    addNetwork(list, entry);
  }
  return {
    contains(ip) {
      const canonical = canonicalIp(ip);
      return canonical !== null && list.check(canonical, isIP(canonical) === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

/**
 * The right-most address that no trusted proxy added. A malformed entry met on the way means the header cannot be
 * believed: then it is the peer. When every entry is trusted, the client is the first of them.
 */
export function clientAddress(origin: RequestOrigin): string {
  const peer = canonicalIp(origin.peer) ?? origin.peer;
  if (origin.forwardedFor === undefined || !origin.trusted.contains(peer)) return peer;
  const header = typeof origin.forwardedFor === 'string' ? origin.forwardedFor : origin.forwardedFor.join(',');
  let client = peer;
  for (const entry of header.split(',').reverse()) {
    const ip = canonicalIp(entry.trim());
    if (ip === null) return peer;
    client = ip;
    if (!origin.trusted.contains(ip)) break;
  }
  return client;
}

function addNetwork(list: BlockList, entry: string): void {
  const [address = '', prefix, ...rest] = entry.split('/');
  const family = isIP(address);
  const bits = family === 4 ? 32 : 128;
  const isWhole = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  if (family === 0 || address.includes('%') || !isWhole || rest.length > 0) {
    throw new RangeError(
      `'${entry.slice(0, 60)}' is not a network. Use none, loopback, private, or networks like 10.1.0.0/16.`,
    );
  }
  list.addSubnet(address, prefix === undefined ? bits : Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
}
