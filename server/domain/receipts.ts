// The content of a receipt: people, files, times, and each download. Facts that an event proves have its number, so
// that programs can verify them.
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

/** Instants are ISO 8601 in UTC; event numbers are null if the log has no such event. */
export interface ReceiptFile {
  id: string;
  /** For the owner only: names of files are content. */
  name: string | null;
  size: number;
  sha256: string;
  uploaded_event: number | null;
  /** When its encryption key was destroyed; null while it can be read. */
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
  /** The sender or requester; for submitted files the typed address. */
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
  /** Downloads beyond the limit of the list. */
  more_downloads: number;
  answers: { id: string; from: string; confirmed: boolean; at: string; size: number; event: number | null }[];
  /** Events that are not in a signed checkpoint yet; retry in a minute. */
  pending_events: number[];
}

/** An event with everything needed to verify it independently. */
export interface ReceiptEvent {
  seq: number;
  /** The entry of the log, byte for byte. */
  entry: string;
  /** The hashed values, each with its salt. */
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

/** Per receipt; later ones are only counted. */
export const maxListedDownloads = 1000;
/** Per receipt. */
export const maxListedEvents = 5000;
