// RFC 7208 with the limit of ten look-ups; macros and `exists` give "cannot tell".
import { BlockList, isIP } from 'node:net';
import { canonicalIp } from './ip.ts';
import type { NameRecords } from './name-records.ts';

export type SpfVerdict = 'pass' | 'fail' | 'broken';

const maxLookups = 10;
const qualifiers: Record<string, SpfVerdict> = { '+': 'pass', '-': 'fail', '~': 'fail', '?': 'fail' };

export function isSpf(text: string): boolean {
  return /^v=spf1(\s|$)/i.test(text);
}

/** `fail` is everything that does not clearly permit the address. */
export async function evaluateSpf(records: NameRecords, domain: string, ip: string): Promise<SpfVerdict> {
  const address = canonicalIp(ip);
  if (address === null) return 'fail';
  const budget = { left: maxLookups };
  const verdict = await checkRecord({ records, address, budget }, domain);
  return verdict ?? 'fail';
}

interface LookupState {
  records: NameRecords;
  address: string;
  budget: { left: number };
}

/** Null if no mechanism of the record matches. */
async function checkRecord(lookups: LookupState, domain: string): Promise<SpfVerdict | null> {
  const [record, ...others] = (await lookups.records.texts(domain)).filter(isSpf);
  if (record === undefined || others.length > 0) return 'broken';
  let redirect: string | null = null;
  for (const term of record.trim().split(/\s+/).slice(1)) {
    const modifier = /^redirect=(.+)$/i.exec(term);
    if (modifier !== null) redirect = modifier[1]!;
    if (/^[\w.-]+=/.test(term)) continue;
    const [, sign = '', mechanism = '', value = ''] = /^([-+~?]?)([a-z0-9]+)(?:[:/]?(.*))$/i.exec(term) ?? [];
    const matched = await matches(lookups, domain, { mechanism: mechanism.toLowerCase(), value, term });
    if (matched === 'broken') return 'broken';
    if (matched) return qualifiers[sign || '+']!;
  }
  if (redirect === null) return null;
  return takeLookup(lookups) ? checkRecord(lookups, redirect) : 'broken';
}

interface Term {
  mechanism: string;
  value: string;
  term: string;
}

async function matches(
  lookups: LookupState,
  domain: string,
  { mechanism, value, term }: Term,
): Promise<boolean | 'broken'> {
  if (mechanism === 'all') return true;
  if (mechanism === 'ip4' || mechanism === 'ip6') return isWithin(lookups.address, value);
  if (!['a', 'mx', 'include', 'exists', 'ptr'].includes(mechanism)) return 'broken';
  if (!takeLookup(lookups)) return 'broken';
  if (term.includes('%') || mechanism === 'exists' || mechanism === 'ptr') return false;
  if (mechanism === 'include') {
    const verdict = await checkRecord(lookups, value);
    return verdict === 'broken' ? 'broken' : verdict === 'pass';
  }
  const { name, bits } = target(term, domain);
  const hosts = mechanism === 'mx' ? await lookups.records.mailHosts(name) : [name];
  for (const host of hosts.slice(0, maxLookups))
    for (const address of await lookups.records.addresses(host))
      if (isWithin(lookups.address, `${address}${isIP(address) === 4 ? bits : ''}`)) return true;
  return false;
}

/** `a`, `a:host`, `a/24`, `a:host/24`. */
function target(term: string, domain: string): { name: string; bits: string } {
  const [, host, bits = ''] = /^[-+~?]?(?:a|mx)(?::([^/]+))?(\/\d+)?/i.exec(term) ?? [];
  return { name: host ?? domain, bits };
}

function takeLookup({ budget }: LookupState): boolean {
  budget.left -= 1;
  return budget.left >= 0;
}

function isWithin(address: string, network: string): boolean {
  const [base = '', bits] = network.split('/');
  const family = isIP(base);
  if (family === 0 || family !== isIP(address)) return false;
  const width = family === 4 ? 32 : 128;
  const prefix = bits === undefined ? width : Number(bits);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > width) return false;
  const list = new BlockList();
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(base, prefix, kind);
  return list.check(address, kind);
}
