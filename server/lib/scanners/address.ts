// Addresses of scanners: clamd://host:port and clamd:/path/to/socket.
import { openClamd } from './clamd.ts';
import type { Scanner } from './scanner.ts';

export interface ScannerAddress {
  kind: 'clamd';
  address: { host: string; port: number } | { path: string };
}

const expected = 'must be clamd://host:port or clamd:/path/to/socket';

/** Throws a RangeError whose message completes "NAME …". */
export function readScannerAddress(text: string): ScannerAddress {
  const path = /^clamd:(\/[^/].*)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: 'clamd', address: { path } };
  const [, bracketed, plain, portText] =
    /^clamd:\/\/(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(portText ?? 3310);
  if (host === undefined || port < 1 || port > 65_535) throw new RangeError(expected);
  return { kind: 'clamd', address: { host, port } };
}

export function scannerPlace({ address }: ScannerAddress): string {
  return 'path' in address ? address.path : `${address.host}:${address.port}`;
}

export function openScanner({ address }: ScannerAddress, { timeoutMs }: { timeoutMs: number }): Scanner {
  return openClamd(address, timeoutMs);
}
