// What a receipt says about a transfer: who to whom, which files, when, and each download with its bytes. Everything that
// an event proves names the number of that event, so that a program can hold the two against each other.
import type { NamedPerson } from './statements.ts';

export type ReceiptKind = 'message' | 'link' | 'request' | 'deletion';

/** A line of the download log. */
export interface ReceiptDownload {
  ownerId: string;
  number: number;
  attachmentId: string;
  recipient: string;
  isByOwner: boolean;
  at: number;
  endedAt: number | null;
  bytes: number;
  isWhole: boolean;
  ip: string;
}

/** Instants are ISO 8601 in UTC; event numbers are null where nothing in the log says it. */
export interface ReceiptFile {
  id: string;
  /** For the owner alone: names of files are content. */
  name: string | null;
  size: number;
  sha256: string;
  uploaded_event: number | null;
  /** When the key that its bytes were encrypted with was destroyed; null while they can be read. */
  deleted_at: string | null;
  deleted_event: number | null;
}

export interface ReceiptBody {
  format: 'waybill-receipt/1';
  kind: ReceiptKind;
  id: string;
  organisation: string;
  service: string;
  made_at: string;
  made_for: 'owner' | 'administrator' | 'auditor';
  owner: NamedPerson;
  /** Address of the sender or requester; for submitted files as it was typed. */
  from: string;
  to: { address: string; role: string; access_ended_at: string | null }[];
  created_at: string;
  created_event: number | null;
  expires_at: string;
  state: string;
  files: ReceiptFile[];
  downloads: {
    file: string;
    to: string;
    by_owner: boolean;
    ip: string;
    at: string;
    ended_at: string | null;
    bytes: number;
    whole: boolean;
    event: number | null;
    bytes_event: number | null;
  }[];
  /** Downloads that are not listed, because there are too many. */
  more_downloads: number;
  /** Of a File Request: what was handed in. */
  answers: { id: string; from: string; confirmed: boolean; at: string; size: number; event: number | null }[];
  /** Events that are not in a signed checkpoint yet; ask again in a minute. */
  pending_events: number[];
}

/** An event as it is in the log: enough to check it without us. */
export interface ReceiptEvent {
  seq: number;
  /** The entry of the log, byte for byte. */
  entry: string;
  /** What hashes in the entry stand for, each with its salt. */
  fields: { field: string; value: unknown; salt: string }[];
  /** c2sp.org/tlog-proof@v1. */
  proof: string;
}

export interface ReceiptDocument {
  receipt: ReceiptBody;
  events: ReceiptEvent[];
  /** Verifier keys of the log. Verifiers should obtain them separately. */
  keys: string[];
}

/** Downloads in one receipt; those that came later are counted. */
export const mostDownloads = 1000;
/** Events in one receipt. */
export const mostEvents = 5000;
