// An upload: a file that is still being received, whole or in pieces (state machine SM1).
import type { WrappedKey } from '../lib/keyring.ts';

/** Its id becomes the attachment's id. */
export interface Upload {
  id: string;
  ownerId: string;
  /** What it is for: a message or a link. */
  family: 'message' | 'link';
  /** Who uploads it: '' for the owner, `drop:<key id>` or `request:<id>` for an outside person. */
  source: string;
  fileName: string;
  /** Said by the client. */
  declaredType: string | null;
  /** Found in the first piece. */
  detectedType: string | null;
  chunks: number;
  state: 'open' | 'sealing' | 'ready' | 'failed' | 'abandoned';
  receivedBytes: number;
  /** Two senders have sent different bytes for the same piece. */
  hasConflict: boolean;
  /** Null once the attachment has it, or it was destroyed. */
  dataKey: WrappedKey | null;
  /** Changes when the upload is started over. */
  begunAt: number;
  activeAt: number;
}

/** A piece that is stored. It belongs to an upload first, and to the attachment of the same id afterwards. */
export interface Part {
  uploadId: string;
  number: number;
  blobKey: string;
  sizeBytes: number;
  sha256: string;
  crc32: number;
}
