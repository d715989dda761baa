// Checks SPF, DKIM, DMARC and PTR of the sender domain, and suggests records.
import type { Check, CheckCode, ZoneRecord } from '../../domain/checks.ts';
import { parseTrusted } from '../../lib/client-address.ts';
import { canonicalIp } from '../../lib/ip.ts';
import { type NameRecords, NameServerSilent } from '../../lib/name-records.ts';
import { evaluateSpf, isSpf } from '../../lib/spf.ts';

export interface SendingSide {
  /** Domain of the bounce address, for SPF. */
  envelopeDomain: string;
  /** Domain of the visible sender, for DKIM and DMARC. */
  fromDomain: string;
  /** The mail server, or this machine if that is local. */
  hosts: readonly string[];
}

/** Common selectors of mail servers and services. */
const usualSelectors = ['default', 'mail', 'dkim', 'selector1', 'selector2', 'google', 'k1', 's1', 's2'];

/** Not visible to other mail servers. */
const privateNetworks = parseTrusted('private');

export async function checkDomain(
  records: NameRecords,
  sending: SendingSide,
  selector: string | null,
): Promise<Check[]> {
  if (!sending.fromDomain.includes('.'))
    return [{ check: 'spf', state: 'failed', code: 'dns.no_domain', values: { domain: sending.fromDomain } }];
  const addresses = answerOr(() => sendingAddresses(records, sending.hosts), []);
  const checks: [string, () => Promise<Check>][] = [
    ['spf', async () => checkSpf(records, sending.envelopeDomain, await addresses)],
    ['dkim', () => checkDkim(records, sending.fromDomain, selector)],
    ['dmarc', () => checkDmarc(records, sending.fromDomain)],
    ['ptr', async () => checkPtr(records, await addresses)],
  ];
  return Promise.all(checks.map(([name, run]) => runCheck(name, run)));
}

async function runCheck(check: string, run: () => Promise<Check>): Promise<Check> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof NameServerSilent)) throw error;
    return { check, state: 'failed', code: 'dns.silent', values: { name: error.asked }, said: error.message };
  }
}

async function answerOr<Answer>(ask: () => Promise<Answer>, otherwise: Answer): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof NameServerSilent)) throw error;
    return otherwise;
  }
}

async function sendingAddresses(records: NameRecords, hosts: readonly string[]): Promise<string[]> {
  for (const host of hosts) {
    const literal = canonicalIp(host);
    const found = literal === null ? await records.addresses(host) : [literal];
    const open = found.filter((address) => !privateNetworks.contains(address));
    if (open.length > 0) return [...new Set(open)].slice(0, 8);
  }
  return [];
}

async function checkSpf(records: NameRecords, domain: string, addresses: string[]): Promise<Check> {
  const found = (await records.texts(domain)).filter(isSpf);
  const finding = (state: Check['state'], code: CheckCode, record?: ZoneRecord, values = {}): Check => ({
    check: 'spf',
    state,
    code,
    values: { domain, ...values },
    said: found.join(' | '),
    ...(record === undefined ? {} : { record }),
  });
  const record = (value: string): ZoneRecord => ({ name: domain, type: 'TXT', value });
  const mechanisms = addresses.map((address) => `ip${address.includes(':') ? 6 : 4}:${address}`);
  if (found.length === 0)
    return finding(
      'failed',
      'spf.missing',
      record(['v=spf1', ...(mechanisms.length > 0 ? mechanisms : ['a', 'mx']), '~all'].join(' ')),
    );
  if (found.length > 1) return finding('failed', 'spf.several', record(merged(found)));
  if (addresses.length === 0) return finding('warning', 'spf.sender_unknown');
  for (const [index, address] of addresses.entries()) {
    const verdict = await evaluateSpf(records, domain, address);
    if (verdict === 'broken') return finding('failed', 'spf.broken');
    if (verdict === 'fail')
      return finding('failed', 'spf.not_covered', record(withSender(found[0]!, mechanisms[index]!)), { address });
  }
  return finding('passed', 'spf.ok');
}

/** Merges all mechanisms; the first `all` wins. */
function merged(found: string[]): string {
  const terms = found.flatMap((text) => text.trim().split(/\s+/).slice(1));
  const isLast = (term: string) => /^[-+~?]?all$/i.test(term);
  const last = terms.find(isLast) ?? '~all';
  return ['v=spf1', ...new Set(terms.filter((term) => !isLast(term))), last].join(' ');
}

function withSender(text: string, mechanism: string): string {
  return text.trim().replace(/^v=spf1/i, `v=spf1 ${mechanism}`);
}

async function checkDkim(records: NameRecords, domain: string, selector: string | null): Promise<Check> {
  const selectors = selector === null ? usualSelectors : [selector];
  const nameOf = (selector: string) => `${selector}._domainkey.${domain}`;
  const answers = await Promise.all(
    selectors.map(async (candidate) => ({
      candidate,
      texts: (await records.texts(nameOf(candidate))).filter((text) => /(^|;)\s*p=/.test(text)),
    })),
  );
  const found = answers.find(({ texts }) => texts.length > 0);
  if (found === undefined) {
    const record: ZoneRecord = { name: nameOf(selector ?? 'mail'), type: 'TXT', value: 'v=DKIM1; k=rsa; p=' };
    return {
      check: 'dkim',
      state: 'warning',
      code: 'dkim.missing',
      values: { domain, selectors: selectors.join(', ') },
      record,
    };
  }
  const [text] = found.texts as [string];
  const isWithdrawn = /(^|;)\s*p=\s*(;|$)/.test(text);
  return {
    check: 'dkim',
    state: isWithdrawn ? 'failed' : 'passed',
    code: isWithdrawn ? 'dkim.withdrawn' : 'dkim.ok',
    values: { domain, selector: found.candidate },
    said: text.slice(0, 500),
  };
}

async function checkDmarc(records: NameRecords, domain: string): Promise<Check> {
  const found = (await records.texts(`_dmarc.${domain}`)).filter((text) => /^v=DMARC1\b/i.test(text));
  const record: ZoneRecord = {
    name: `_dmarc.${domain}`,
    type: 'TXT',
    value: `v=DMARC1; p=none; rua=mailto:postmaster@${domain}`,
  };
  const said = found.join(' | ');
  if (found.length === 0) return { check: 'dmarc', state: 'failed', code: 'dmarc.missing', values: { domain }, record };
  const policy = /(?:^|;)\s*p=\s*(none|quarantine|reject)\s*(?:;|$)/i.exec(found[0]!)?.[1]?.toLowerCase();
  if (found.length > 1 || policy === undefined)
    return { check: 'dmarc', state: 'failed', code: 'dmarc.broken', values: { domain }, said, record };
  return {
    check: 'dmarc',
    state: 'passed',
    code: policy === 'none' ? 'dmarc.watching' : 'dmarc.ok',
    values: { domain, policy },
    said,
  };
}

async function checkPtr(records: NameRecords, addresses: string[]): Promise<Check> {
  const [address] = addresses;
  if (address === undefined) return { check: 'ptr', state: 'skipped', code: 'ptr.unknown' };
  const names = await records.namesOf(address);
  if (names.length === 0) {
    const record: ZoneRecord = { name: reverseName(address), type: 'PTR', value: '' };
    return { check: 'ptr', state: 'failed', code: 'ptr.missing', values: { address }, record };
  }
  for (const name of names) {
    const back = await records.addresses(name);
    if (back.some((candidate) => canonicalIp(candidate) === address))
      return { check: 'ptr', state: 'passed', code: 'ptr.ok', values: { address, name } };
  }
  return {
    check: 'ptr',
    state: 'failed',
    code: 'ptr.astray',
    values: { address, name: names[0]! },
    said: names.join(', '),
  };
}

function reverseName(address: string): string {
  if (!address.includes(':')) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const [head = '', tail = ''] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const digits = [...left, ...(address.includes('::') ? zeros : []), ...right]
    .map((group) => group.padStart(4, '0'))
    .join('');
  return `${[...digits].reverse().join('.')}.ip6.arpa`;
}
