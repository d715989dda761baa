// Verdicts of the virus scanner and the content rules, and what a group does with them.
import type { ScanReason, ScanVerdict } from '../lib/scanners/scanner.ts';
import { type ContentReason, hasContentRules } from './content-rules.ts';
import type { Policy } from './policy.ts';

/** Whether others than the uploader may have a file. */
export type ScanState = 'free' | 'waiting' | 'held';

/** `blocked`: by a content rule of the group. */
export type FileVerdict = ScanVerdict | 'blocked';

export interface FileResult {
  verdict: FileVerdict;
  reason: ScanReason | ContentReason;
  /** Name of the malware; empty unless infected. */
  signature: string;
}

/** The version of verdicts that no scanner gave. */
export const withoutScanner = '';

/** Without a scanner in force, files wait only for the content rules. */
export function isScanRequired(isScanning: boolean, policy: Policy): boolean {
  return (isScanning && policy.virus_scan) || hasContentRules(policy);
}

/** Infected files are always held. */
export function stateAfter({ verdict }: Pick<FileResult, 'verdict'>, policy: Policy): ScanState {
  if (verdict === 'unscannable') return policy.virus_scan_unscannable === 'release' ? 'free' : 'held';
  return verdict === 'clean' ? 'free' : 'held';
}

const reasons: Record<Exclude<FileResult['reason'], ''>, string> = {
  too_large: 'it is too large for the virus scanner',
  encrypted: 'it is encrypted, so it could not be checked for viruses',
  damaged: 'it could not be read by the virus scanner',
  nested_too_deep: 'its archives are nested too deeply to be checked for viruses',
  skipped: 'the virus scanner did not read all of it',
  type_mismatch: 'its content is not of the type that its name says',
  encrypted_archive: 'it is an encrypted archive',
  macros: 'it contains macros',
  archive_depth: 'its archives are nested too deeply, or unpack to too much',
};

/** In English, as answers of the API. */
export function blockedMessage({ verdict, reason, signature }: FileResult): string {
  if (verdict === 'infected') return `This file is blocked: the virus scanner found ${signature || 'malware'}.`;
  return `This file is blocked: ${reason === '' ? 'it could not be checked for viruses' : reasons[reason]}.`;
}
