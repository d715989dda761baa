import { isIP, SocketAddress } from 'node:net';

/** IPv4 inside IPv6 becomes IPv4; IPv6 is lower case, shortened, without a zone. Else null. */
export function canonicalIp(text: string): string | null {
  const family = isIP(text);
  if (family === 0) return null;
  if (family === 4) return text;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  return mapped === null ? address : mapped[1]!;
}

/** The network one customer usually has: an IPv4 address itself, the /64 of IPv6. */
export function networkOfIp(text: string): string | null {
  const ip = canonicalIp(text);
  if (ip === null || isIP(ip) === 4) return ip;
  return `${firstFourGroups(ip).join(':')}::/64`;
}

/** Of a canonical address, zeros restored. */
function firstFourGroups(ip: string): string[] {
  const [head = '', tail] = ip.split('::');
  const left = head === '' ? [] : head.split(':');
  if (tail === undefined) return left.slice(0, 4);
  const right = tail === '' ? [] : tail.split(':');
  // An IPv4 tail counts as two groups.
  const rightCount = right.length + (tail.includes('.') ? 1 : 0);
  const zeros = Array.from({ length: 8 - left.length - rightCount }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4);
}
