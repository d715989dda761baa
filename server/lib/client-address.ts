// The client's address: the peer of the socket, or X-Forwarded-For if the peer is a trusted proxy.
import { BlockList, isIP } from 'node:net';
import { canonicalIp } from './ip.ts';

export interface Trusted {
  contains(ip: string): boolean;
  /** Null if every proxy is listed by address. */
  hops: number | null;
  /** Only a number of hops is given, so every peer is trusted. */
  isAnyone: boolean;
  /** Networks so large that they may include clients. */
  wide: readonly string[];
}

export interface RequestOrigin {
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

/** Eight addresses. */
const widestPrefix = { 4: 29, 6: 125 };

const maxHops = 10;

/**
 * `none`, `loopback`, `private`, addresses and networks; a whole number is the number of proxies. Throws a RangeError
 * that names the wrong entry.
 */
export function parseTrusted(text: string): Trusted {
  const list = new BlockList();
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const numbers = entries.filter((entry) => /^\d+$/.test(entry));
  const named = entries.filter((entry) => !numbers.includes(entry));
  const hops = readHops(numbers);
  const wide: string[] = [];
  for (const entry of named) {
    const networks = Object.hasOwn(KEYWORDS, entry) ? KEYWORDS[entry]! : [entry];
    for (const network of networks) addNetwork(list, network);
    if (networks.some(isWide)) wide.push(entry);
  }
  const isAnyone = hops !== null && named.length === 0;
  return {
    contains(ip) {
      if (isAnyone) return true;
      const canonical = canonicalIp(ip);
      return canonical !== null && list.check(canonical, isIP(canonical) === 4 ? 'ipv4' : 'ipv6');
    },
    hops,
    isAnyone,
    wide,
  };
}

function readHops(numbers: string[]): number | null {
  if (numbers.length === 0) return null;
  const hops = Number(numbers[0]);
  if (numbers.length === 1 && hops >= 1 && hops <= maxHops) return hops;
  throw new RangeError(`'${numbers.join(', ').slice(0, 60)}' is not one number of proxies from 1 to ${maxHops}.`);
}

/** Loopback is not wide: local programs can claim any address anyway. */
function isWide(network: string): boolean {
  const [address = '', prefix] = network.split('/');
  const family = isIP(address) === 4 ? 4 : 6;
  return !LOOPBACK.includes(network) && prefix !== undefined && Number(prefix) < widestPrefix[family];
}

/**
 * The right-most address that no trusted proxy added, or the one before the configured number of proxies. With a
 * malformed entry, the peer; if every entry is trusted, the first.
 */
export function clientAddress(origin: RequestOrigin): string {
  const peer = canonicalIp(origin.peer) ?? origin.peer;
  if (origin.forwardedFor === undefined || !origin.trusted.contains(peer)) return peer;
  const { hops } = origin.trusted;
  const header = typeof origin.forwardedFor === 'string' ? origin.forwardedFor : origin.forwardedFor.join(',');
  let client = peer;
  for (const [index, entry] of header.split(',').reverse().entries()) {
    const ip = canonicalIp(entry.trim());
    if (ip === null) return peer;
    client = ip;
    if (hops === null ? !origin.trusted.contains(ip) : index + 1 === hops) break;
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
      `'${entry.slice(0, 60)}' is not a network. Use none, loopback, addresses like 10.0.0.5, networks like 10.1.0.0/29, or a number of proxies.`,
    );
  }
  list.addSubnet(address, prefix === undefined ? bits : Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
}
