import type { WrappedKey } from '../lib/keyring.ts';

/** Its id becomes the attachment's id. */
export interface Upload {
  id: string;
  ownerId: string;
  /** What it is for: a message or a link. */
  family: 'message' | 'link';
  /** '' for the owner, `drop:<key id>` or `request:<id>` for an outside uploader. */
  source: string;
  fileName: string;
  /** Declared by the client. */
  declaredType: string | null;
  /** Detected in the first chunk. */
  detectedType: string | null;
  chunks: number;
  state: 'open' | 'sealing' | 'ready' | 'failed' | 'abandoned';
  receivedBytes: number;
  /** Two senders have sent different bytes for the same chunk. */
  hasConflict: boolean;
  /** Null once the attachment has it, or it was destroyed. */
  dataKey: WrappedKey | null;
  /** Changes when the upload is restarted. */
  begunAt: number;
  activeAt: number;
}

/** A stored chunk, of an upload first and of the attachment with the same id afterwards. */
export interface Part {
  uploadId: string;
  number: number;
  blobKey: string;
  sizeBytes: number;
  sha256: string;
  crc32: number;
}
