// Addresses of scanners: clamd and ICAP.
import { type ClamdAddress, openClamd } from './clamd.ts';
import { type IcapAddress, type IcapOptions, openIcap } from './icap.ts';
import type { Scanner } from './scanner.ts';

export type ScannerAddress = { kind: 'clamd'; address: ClamdAddress } | { kind: 'icap'; address: IcapAddress };

const expected =
  'must be clamd://host:port, clamd:/path/to/socket, icap://host:port/service or icaps://host:port/service';
const defaultPorts = { clamd: 3310, icap: 1344, icaps: 11_344 };

/** Throws a RangeError whose message completes "NAME …". */
export function readScannerAddress(text: string): ScannerAddress {
  const path = /^clamd:(\/[^/].*)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: 'clamd', address: { path } };
  const [, scheme = '', bracketed, plain, portText, service] =
    /^(clamd|icaps?):\/\/(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::(\d{1,5}))?(?:\/([\w.~/?=&%-]{1,200}))?$/i.exec(
      text,
    ) ?? [];
  const kind = scheme.toLowerCase() as keyof typeof defaultPorts;
  const host = bracketed ?? plain;
  const port = Number(portText ?? defaultPorts[kind]);
  if (host === undefined || port < 1 || port > 65_535 || (kind === 'clamd') !== (service === undefined))
    throw new RangeError(expected);
  if (kind === 'clamd') return { kind, address: { host, port } };
  return { kind: 'icap', address: { host, port, service: service!, isTls: kind === 'icaps' } };
}

/** Never a path of ICAP with a password. */
export function scannerPlace({ kind, address }: ScannerAddress): string {
  if (kind === 'icap') return `${address.host}:${address.port}/${address.service}`;
  return 'path' in address ? address.path : `${address.host}:${address.port}`;
}

/** The text that `readScannerAddress` reads. */
export function writeScannerAddress({ kind, address }: ScannerAddress): string {
  if ('path' in address) return `clamd:${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  if (kind === 'clamd') return `clamd://${host}:${address.port}`;
  return `${address.isTls ? 'icaps' : 'icap'}://${host}:${address.port}/${address.service}`;
}

export function openScanner(scanner: ScannerAddress, options: IcapOptions): Scanner {
  if (scanner.kind === 'icap') return openIcap(scanner.address, options);
  return openClamd(scanner.address, options.timeoutMs);
}
