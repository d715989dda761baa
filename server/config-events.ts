// The settings of webhooks and event streams in the environment.
import { readFileSync } from 'node:fs';
import { type ConfigEntry, entry, oneOf, text } from './config-entry.ts';
import { syslogFormats } from './domain/settings.ts';
import { parseTrusted, type Trusted } from './lib/client-address.ts';
import { readCertificates } from './lib/outbound-tls.ts';
import { parsePolicy, type WitnessPolicy } from './lib/tlog/policy.ts';

export const eventEntries = {
  webhookNetworks: entry<Trusted>(
    'WAYBILL_WEBHOOK_NETWORKS',
    'private networks that webhooks may send to, also with plain HTTP: `loopback`, `private`, addresses and networks, with commas',
    { default: parseTrusted('none'), read: readNetworks, defaultText: '`none`' },
  ),
  syslogUrl: entry<URL | null>(
    'WAYBILL_SYSLOG_URL',
    'syslog server that gets every event: `tls://host:6514` or `tcp://host:601`',
    { default: null, read: readSyslogUrl },
  ),
  syslogFormat: oneOf('WAYBILL_SYSLOG_FORMAT', 'form of the events: `json`, `cef` or `ocsf`', syslogFormats, 'json'),
  syslogCaFile: entry<string[]>(
    'WAYBILL_SYSLOG_CA_FILE',
    'PEM file of certificate authorities that the connection to the syslog server trusts as well',
    { default: [], read: readCertificates, defaultText: '–' },
  ),
  witnessPolicy: entry<WitnessPolicy | null>(
    'WAYBILL_EVIDENCE_WITNESS_POLICY',
    'policy file (c2sp.org/tlog-policy) with the witnesses that cosign the event log',
    { default: null, read: readPolicy },
  ),
  eventsFile: text('WAYBILL_EVENTS_FILE', 'file to which every event is appended as a line of JSON'),
} as const satisfies Record<string, ConfigEntry<unknown>>;

function readNetworks(value: string): Trusted {
  const networks = parseTrusted(value);
  if (networks.hops !== null) throw new RangeError('must be networks such as 10.0.0.0/8');
  return networks;
}

function readSyslogUrl(value: string): URL {
  const url = URL.parse(value);
  const isValid = url !== null && (url.protocol === 'tls:' || url.protocol === 'tcp:') && url.hostname !== '';
  if (!isValid || !['', '/'].includes(url.pathname)) throw new RangeError('must look like tls://syslog.example:6514');
  return url;
}

function readPolicy(path: string): WitnessPolicy {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new RangeError(`names a file that can't be read (${path})`);
  }
  try {
    return parsePolicy(text);
  } catch (error) {
    throw new RangeError(`names a policy with a mistake (${path}): ${(error as Error).message}`);
  }
}
