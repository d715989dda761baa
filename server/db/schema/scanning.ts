// The tables of the virus scan. The conventions are those of schema.ts.
import type { FileResult, FileVerdict } from '../../domain/scanning.ts';
import type { ScanReason, ScanVerdict } from '../../lib/scanners/scanner.ts';

/** The scan of each file that needs one. */
export interface FileScansTable {
  attachment_id: string;
  /** `waiting`: in the queue; also while an earlier verdict holds, if the file is scanned again. */
  state: 'waiting' | 'done';
  /** `''` before the first verdict. */
  verdict: FileVerdict | '';
  /** Why it is unscannable or blocked, or `''`. */
  reason: FileResult['reason'];
  /** Name of the malware, or `''`. */
  signature: string;
  /** Program and signatures that gave the verdict; `''` if only the content rules did. */
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

/** What files contain, for the content rules and their replay. Deleted with the sends that may be replayed. */
export interface FileContentsTable {
  attachment_id: string;
  /** A JSON object. */
  findings: string;
  inspected_at: number;
}

/** The decision of a second person about a message that waits for one. */
export interface MessageReviewsTable {
  message_id: string;
  requested_at: number;
  decided_at: number | null;
  /** The reviewer, or `''`. */
  decided_by: string;
  /** Encrypted. */
  reason_sealed: Buffer | null;
}
