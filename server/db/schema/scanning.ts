// The tables of the virus scan. The conventions are those of schema.ts.
import type { ScanReason, ScanVerdict } from '../../lib/scanners/scanner.ts';

/** The scan of each file that needs one. */
export interface FileScansTable {
  attachment_id: string;
  /** `waiting`: in the queue; also while an earlier verdict holds, if the file is scanned again. */
  state: 'waiting' | 'done';
  /** `''` before the first verdict. */
  verdict: ScanVerdict | '';
  /** Why it is unscannable, or `''`. */
  reason: ScanReason;
  /** Name of the malware, or `''`. */
  signature: string;
  /** Program and signatures that gave the verdict. */
  version: string;
  requested_at: number;
  /** When it is tried next. */
  next_at: number;
  /** Scans without a verdict by a scanner that worked otherwise. */
  attempts: number;
  /** Bytes that the running scan has sent. */
  scanned_bytes: number;
  scanned_at: number | null;
  /** Its id in the quarantine, while it is held. */
  quarantine_id: string | null;
  held_at: number | null;
  released_at: number | null;
  /** The administrator who released it, or `''`. */
  released_by: string;
}

/** Verdicts by content, so that equal files are scanned once. Deleted after 90 days. */
export interface ScanVerdictsTable {
  /** Keyed hash of the SHA-256. */
  content_hash: Buffer;
  version: string;
  verdict: ScanVerdict;
  reason: ScanReason;
  signature: string;
  scanned_at: number;
}
