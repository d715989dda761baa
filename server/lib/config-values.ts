// Each throws a RangeError whose message completes "NAME …".
import { isIP } from 'node:net';
import { parseAddress } from './address.ts';
import type { HostNameSetting } from './host-names.ts';

export type Listen = { kind: 'port'; host: string; port: number } | { kind: 'socket'; path: string };

/** `host:port`, `[v6]:port`, `:port`, `port`, or `unix:/path`. */
export function readListen(text: string): Listen {
  if (text.startsWith('unix:')) {
    if (!text.startsWith('unix:/')) throw new RangeError('must give an absolute path after unix:');
    return { kind: 'socket', path: text.slice('unix:'.length) };
  }
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^:\s]*):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535)
    throw new RangeError('must be an address and port such as 0.0.0.0:8080, or unix:/path');
  const host = (match[1] ?? '').replace(/^\[|\]$/g, '');
  return { kind: 'port', host: host === '' ? '0.0.0.0' : host, port };
}

/** `off`, `on`, or a name server `ip` or `ip:port`. */
export function readHostNames(text: string): HostNameSetting {
  if (text === 'off') return 'off';
  if (text === 'on') return 'system';
  if (!isNameServer(text))
    throw new RangeError('must be off, on, or the IP address of a name server such as 192.0.2.53 or [2001:db8::53]:53');
  return { server: text };
}

export function readNameServer(text: string): string {
  if (!isNameServer(text))
    throw new RangeError('must be the IP address of a name server such as 192.0.2.53 or [2001:db8::53]:53');
  return text;
}

function isNameServer(text: string): boolean {
  const match = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/.exec(text);
  const ip = match?.[1] ?? match?.[2] ?? text;
  const port = Number(match?.[3] ?? 53);
  return isIP(ip) !== 0 && port > 0 && port <= 65_535;
}

export function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new RangeError('must be an address that starts with http:// or https://');
  if (url.search !== '' || url.hash !== '' || url.username !== '')
    throw new RangeError('must not have a query, a fragment or a password');
  return url;
}

export function readFlag(text: string): boolean {
  if (/^(true|yes|on|1)$/i.test(text)) return true;
  if (/^(false|no|off|0)$/i.test(text)) return false;
  throw new RangeError('must be true or false');
}

export function readWhole(text: string, least: number, most: number): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw new RangeError(`must be a whole number from ${least} to ${most}`);
  return value;
}

const sizeUnits: Record<string, number> = {
  '': 1,
  b: 1,
  k: 1024,
  kb: 1000,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1000 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1000 ** 3,
  gib: 1024 ** 3,
  t: 1024 ** 4,
  tb: 1000 ** 4,
  tib: 1024 ** 4,
};

/** `8MiB`, `1GiB`, `500 kB`, or bytes. */
export function readSize(text: string, least: number): number {
  const match = /^(\d{1,15}(?:\.\d{1,3})?)\s*([a-zA-Z]*)$/.exec(text);
  const unit = sizeUnits[(match?.[2] ?? '?').toLowerCase()];
  if (match === null || unit === undefined) throw new RangeError('must be a size such as 8MiB or 1GiB');
  const bytes = Math.floor(Number(match[1]) * unit);
  if (!Number.isSafeInteger(bytes) || bytes < least) throw new RangeError(`must be at least ${least} bytes`);
  return bytes;
}

const durationUnits: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Keeps instants within the range of dates. */
const maxDays = 3650;

/** `30s`, `24h`, `14d`, in milliseconds. */
export function readDuration(text: string, leastMs: number, most = maxDays): number {
  const match = /^(\d{1,9})\s*(ms|s|m|min|h|d|w)$/.exec(text);
  if (match === null) throw new RangeError('must be a time such as 30s, 24h or 14d');
  const milliseconds = Number(match[1]) * durationUnits[match[2]!]!;
  if (milliseconds < leastMs) throw new RangeError(`must be at least ${leastMs / 1000}s`);
  if (milliseconds > most * durationUnits.d!) throw new RangeError(`must be at most ${most}d`);
  return milliseconds;
}

/** `HH:MM` as minutes after midnight. */
export function readTimeOfDay(text: string): number {
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (match === null) throw new RangeError('must be a time of day such as 02:30');
  return Number(match[1]) * 60 + Number(match[2]);
}

/** An invalid entry makes the list empty. */
export function readAddressList(text: string): string[] {
  const addresses = text
    .split(',')
    .map((part) => parseAddress(part.trim(), { allowSingleLabel: true })?.address ?? null);
  return addresses.every((address) => address !== null) ? (addresses as string[]) : [];
}

/** Ends with a slash, so that `a` is not a prefix of `ab/`. */
export function readS3Prefix(value: string): string {
  if (!/^[\w!.*'()-]+(\/[\w!.*'()-]+)*\/?$/.test(value) || value.length > 200 || value.split('/').includes('..'))
    throw new RangeError('must be a name such as waybill/ without spaces and without a slash in front');
  return value.endsWith('/') ? value : `${value}/`;
}
