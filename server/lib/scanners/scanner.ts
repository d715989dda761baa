// What virus scanners have in common.

export type ScanVerdict = 'clean' | 'infected' | 'unscannable';

const unscannableReasons = ['too_large', 'encrypted', 'damaged', 'nested_too_deep', 'skipped'] as const;
type UnscannableReason = (typeof unscannableReasons)[number];

/** Empty unless a file is unscannable. */
export type ScanReason = '' | UnscannableReason;

export function isScanReason(text: string): text is UnscannableReason {
  return unscannableReasons.some((reason) => reason === text);
}

export interface ScanResult {
  verdict: ScanVerdict;
  reason: ScanReason;
  /** Name of the malware; empty unless infected. */
  signature: string;
}

export interface ScanInput {
  sizeBytes: number;
  fileName: string;
  /** Reads the file from its first byte; a scanner may read it twice. */
  read(): AsyncIterable<Buffer>;
  onBytes?(sent: number): void;
  signal?: AbortSignal;
}

export interface Scanner {
  /** Where it is; never a password. */
  readonly place: string;
  /** Program and signatures. Rejects with `ScannerSilent`. */
  version(): Promise<string>;
  /** Rejects with `ScannerSilent` if there is no verdict; an error of `read` rejects unchanged. */
  scan(input: ScanInput): Promise<ScanResult>;
}

/** What failed: the connection, an answer, the kind of service, or the self-test with a clean file or with EICAR. */
export type ScannerStep = 'connection' | 'answer' | 'service' | 'clean file' | 'EICAR';

/** No verdict: unreachable, silent, or an answer that is not understood. */
export class ScannerSilent extends Error {
  readonly step: ScannerStep;
  constructor(why: string, step: ScannerStep = 'answer') {
    super(why);
    this.name = 'ScannerSilent';
    this.step = step;
  }
}

/** It works, but refuses this file, as some do for protected archives. */
export class FileRefused extends ScannerSilent {}

export const clean: ScanResult = { verdict: 'clean', reason: '', signature: '' };

export function infected(signature: string): ScanResult {
  return { verdict: 'infected', reason: '', signature: signature.slice(0, 200) };
}

export function unscannable(reason: UnscannableReason): ScanResult {
  return { verdict: 'unscannable', reason, signature: '' };
}

/** ClamAV reports what it could not check as a name of malware, also through an ICAP server. */
export function resultOfName(name: string): ScanResult {
  if (/^Heuristics\.Encrypted\./.test(name)) return unscannable('encrypted');
  if (/^Heuristics\.Limits\.Exceeded.*(Recursion|Depth)/i.test(name)) return unscannable('nested_too_deep');
  if (/^Heuristics\.Limits\.Exceeded/.test(name)) return unscannable('too_large');
  if (/^Heuristics\.Broken\./.test(name)) return unscannable('damaged');
  return infected(name);
}
