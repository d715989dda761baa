// The progress of one file, which can be interrupted anywhere.
import type { FileSource } from './ports.ts';
import type { SavedUpload } from './states.ts';
import { maxChunks } from './wire.ts';

export interface Upload {
  chunkBytes: number;
  chunkCount: number;
  uploadId: string | null;
  /** The server has all chunks before it. */
  nextChunk: number;
  crc: number;
  arrived: Set<number>;
  /** Ask the server which chunks it has. */
  isUnconfirmed: boolean;
}

export function createUpload(sizeBytes: number, chunkBytes: number): Upload {
  // The number of chunks is limited.
  const size = Math.max(chunkBytes, Math.ceil(sizeBytes / maxChunks));
  return {
    chunkBytes: size,
    chunkCount: Math.max(1, Math.ceil(sizeBytes / size)),
    uploadId: null,
    nextChunk: 0,
    crc: 0,
    arrived: new Set(),
    isUnconfirmed: false,
  };
}

/** The caller must have checked that it is the same file. */
export function resumeUpload(saved: SavedUpload): Upload {
  const upload = createUpload(saved.sizeBytes, saved.pieceBytes);
  // The last chunk is always sent again: its response contains the attachment.
  const nextChunk = Math.min(saved.nextPiece, upload.chunkCount - 1);
  if (nextChunk !== saved.nextPiece) return { ...upload, uploadId: saved.uploadId, isUnconfirmed: true };
  return { ...upload, uploadId: saved.uploadId, nextChunk, crc: saved.crc, isUnconfirmed: true };
}

export function toSavedUpload(upload: Upload, source: FileSource): SavedUpload | null {
  if (upload.uploadId === null) return null;
  const { chunkBytes, uploadId, nextChunk, crc } = upload;
  const { name, sizeBytes, modifiedAt } = source;
  return { name, sizeBytes, modifiedAt, pieceBytes: chunkBytes, uploadId, nextPiece: nextChunk, crc };
}

/** Chunks that the server has lost are sent again. */
export function confirmUpload(upload: Upload, received: number[]): void {
  const arrived = new Set(received);
  for (let chunk = 0; chunk < upload.nextChunk; chunk += 1) {
    if (arrived.has(chunk)) continue;
    // The checksum up to here is unknown, so reading restarts at the beginning.
    upload.nextChunk = 0;
    upload.crc = 0;
    break;
  }
  upload.arrived = arrived;
  upload.isUnconfirmed = false;
}

export function chunkRange(upload: Upload, chunk: number, sizeBytes: number): { start: number; end: number } {
  const start = chunk * upload.chunkBytes;
  return { start, end: Math.min(start + upload.chunkBytes, sizeBytes) };
}
