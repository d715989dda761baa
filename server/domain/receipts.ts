// Facts that an event proves have its number, so that programs can verify them.
import type { RequestedBytes, RequestLine } from './download-requests.ts';
import type { NamedPerson } from './statements.ts';

export type ReceiptKind = 'message' | 'link' | 'request' | 'deletion';

/** Without requests if an earlier version logged it. */
export interface ReceiptDownload extends RequestedBytes {
  ownerId: string;
  number: number;
  attachmentId: string;
  recipient: string;
  isByOwner: boolean;
  at: number;
  endedAt: number | null;
  isWhole: boolean;
  ip: string;
}

/** Event numbers are null if the log has no such event. */
export interface ReceiptFile {
  id: string;
  /** For the owner only: names of files are content. */
  name: string | null;
  size: number;
  sha256: string;
  uploaded_event: number | null;
  /** When the service recorded that it destroyed the encryption key; null while it can be read. */
  deleted_at: string | null;
  deleted_event: number | null;
  /** The commitment to that key (deletions.ts). */
  deleted_key: string | null;
  /** When daily backups made before the deletion end; null if the service makes none. */
  backups_until: string | null;
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
  /** For submitted files the typed address. */
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
    total: number;
    at_most: number | null;
    requests: RequestLine[];
    more_requests: number;
  }[];
  /** Downloads beyond the limit of the list. */
  more_downloads: number;
  answers: { id: string; from: string; confirmed: boolean; at: string; size: number; event: number | null }[];
  /** Not in a signed checkpoint yet. */
  pending_events: number[];
  /** Those in the proofs, by size. An event belongs to the first one that reaches it. */
  checkpoints: ReceiptCheckpoint[];
}

export interface ReceiptCheckpoint {
  size: number;
  last_event: number;
  sealed_at: string;
  /** Who cosigned it, and when by their own clock. */
  witnesses: { name: string; at: string }[];
}

/** Before its events were proven. */
export type UnsealedReceipt = Omit<ReceiptBody, 'pending_events' | 'checkpoints'>;

export interface ReceiptEvent {
  seq: number;
  /** Byte for byte. */
  entry: string;
  fields: { field: string; value: unknown; salt: string }[];
  /** c2sp.org/tlog-proof@v1. */
  proof: string;
}

export interface ReceiptDocument {
  receipt: ReceiptBody;
  events: ReceiptEvent[];
  /** Verifiers should obtain them separately. */
  keys: string[];
}

/** Later ones are only counted. */
export const maxListedDownloads = 1000;
export const maxListedEvents = 5000;
