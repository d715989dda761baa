import type { WrappedKey } from '../lib/keyring.ts';

/** Its id becomes the attachment's id. */
export interface Upload {
  id: string;
  ownerId: string;
  family: 'message' | 'link';
  /** '' for the owner, `drop:<key id>` or `request:<id>` for an outside uploader. */
  source: string;
  fileName: string;
  declaredType: string | null;
  detectedType: string | null;
  chunks: number;
  state: 'open' | 'sealing' | 'ready' | 'failed' | 'abandoned';
  receivedBytes: number;
  /** Two senders have sent different bytes for the same chunk. */
  hasConflict: boolean;
  /** Null once the attachment has it, or it was destroyed. */
  dataKey: WrappedKey | null;
  begunAt: number;
  activeAt: number;
}

/** It belongs to an upload first, then to the attachment with the same id. */
export interface Part {
  uploadId: string;
  number: number;
  blobKey: string;
  sizeBytes: number;
  sha256: string;
  crc32: number;
}
