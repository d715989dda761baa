// The virus scanner of the settings in force, opened again after a change by any process.
import { isDeepStrictEqual } from 'node:util';
import type { Ctx } from '../actions/context.ts';
import { defaultScannerTimeoutMs, scannerInForce } from '../domain/scanner-settings.ts';
import type { ScannerSetup } from '../domain/settings.ts';
import { openScanner } from '../lib/scanners/address.ts';
import type { Scanner } from '../lib/scanners/scanner.ts';

export interface OpenedScanner {
  /** Null without a scanner. */
  scanner: Scanner | null;
  /** How long it may be silent. */
  timeoutMs: number;
}

export function followScanner(): (ctx: Ctx) => OpenedScanner {
  let opened: OpenedScanner = { scanner: null, timeoutMs: defaultScannerTimeoutMs };
  let setup: ScannerSetup | null = null;
  return (ctx) => {
    const next = scannerInForce(ctx.settings).setup;
    if (isDeepStrictEqual(next, setup)) return opened;
    setup = next;
    const timeoutMs = next?.timeoutMs ?? defaultScannerTimeoutMs;
    opened = {
      scanner: next === null ? null : openScanner(next.address, { timeoutMs, authorities: next.certificates }),
      timeoutMs,
    };
    return opened;
  };
}
