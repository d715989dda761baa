// The virus scanner in force: from the environment, or as administrators have set it up.
import type { ScannerSetup, SettingsSource } from './settings.ts';

export interface ScannerInForce {
  /** Null without a scanner: then only the content rules apply. */
  setup: ScannerSetup | null;
  source: 'environment' | 'console' | 'none';
}

/** The variables that fix all fields as soon as `WAYBILL_SCANNER` is set. */
export const scannerVariables = {
  address: 'WAYBILL_SCANNER',
  certificates: 'WAYBILL_SCANNER_CA_FILE',
  timeout_seconds: 'WAYBILL_SCANNER_TIMEOUT',
} as const;

export const defaultScannerTimeoutMs = 60_000;

export function scannerInForce(settings: Pick<SettingsSource, 'surroundings' | 'current'>): ScannerInForce {
  const { scanner } = settings.surroundings;
  if (scanner !== null) return { setup: scanner, source: 'environment' };
  const saved = settings.current().scanner;
  return { setup: saved, source: saved === null ? 'none' : 'console' };
}

export function hasScanner(settings: Pick<SettingsSource, 'surroundings' | 'current'>): boolean {
  return scannerInForce(settings).setup !== null;
}
