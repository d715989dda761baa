// Addresses that the server may connect to when an administrator enters the host. The name is resolved once, and the
// connection goes to the address that was checked, so that a changed DNS answer has no effect.
import { lookup as systemLookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { canonicalIp } from './ip.ts';

export interface Networks {
  contains(ip: string): boolean;
}

export class AddressRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'AddressRefused';
  }
}

export type Lookup = (host: string) => Promise<readonly string[]>;

const reserved4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
/** Within 2000::/3, which alone is public: addresses of protocols such as Teredo, documentation and 6to4, which embed others. */
const reserved6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

const blocked4 = listOf(reserved4, 'ipv4');
const blocked6 = listOf(reserved6, 'ipv6');
const public6 = listOf(['2000::/3'], 'ipv6');

export function isPublicAddress(text: string): boolean {
  const ip = canonicalIp(text);
  if (ip === null) return false;
  return isIP(ip) === 4 ? !blocked4.check(ip, 'ipv4') : public6.check(ip, 'ipv6') && !blocked6.check(ip, 'ipv6');
}

const lookupAll: Lookup = async (host) => (await systemLookup(host, { all: true })).map(({ address }) => address);

/**
 * The address to connect to. Every address of the name must be public or in `networks`; plain HTTP needs `networks`.
 * Throws AddressRefused, or the error of the name server.
 */
export async function resolveOutbound(url: URL, networks: Networks, lookup: Lookup = lookupAll): Promise<string> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new AddressRefused('the address is not https://');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await lookup(host) : [host];
  for (const address of addresses) {
    const ip = canonicalIp(address);
    if (ip !== null && networks.contains(ip)) continue;
    if (ip === null || !isPublicAddress(ip)) throw new AddressRefused(`${address} is not a public address`);
    if (url.protocol === 'http:') throw new AddressRefused('the address is not https://');
  }
  const [first] = addresses;
  if (first === undefined) throw new AddressRefused(`${host} has no address`);
  return first;
}
