// Verdicts of the virus scanner, and what a group does with them.
import type { ScanReason, ScanResult } from '../lib/scanners/scanner.ts';
import type { Policy } from './policy.ts';

/** Whether others than the uploader may have a file. */
export type ScanState = 'free' | 'waiting' | 'held';

/** Without a scanner in force no file waits. */
export function isScanRequired(isScanning: boolean, policy: Policy): boolean {
  return isScanning && policy.virus_scan;
}

/** Infected files are always held. */
export function stateAfter({ verdict }: Pick<ScanResult, 'verdict'>, policy: Policy): ScanState {
  if (verdict === 'unscannable') return policy.virus_scan_unscannable === 'release' ? 'free' : 'held';
  return verdict === 'clean' ? 'free' : 'held';
}

const reasons: Record<Exclude<ScanReason, ''>, string> = {
  too_large: 'it is too large for the virus scanner',
  encrypted: 'it is encrypted, so it could not be checked for viruses',
  damaged: 'it could not be read by the virus scanner',
  nested_too_deep: 'its archives are nested too deeply to be checked for viruses',
  skipped: 'the virus scanner did not read all of it',
};

/** In English, as answers of the API. */
export function blockedMessage({ verdict, reason, signature }: ScanResult): string {
  if (verdict === 'infected') return `This file is blocked: the virus scanner found ${signature || 'malware'}.`;
  return `This file is blocked: ${reason === '' ? 'it could not be checked for viruses' : reasons[reason]}.`;
}
