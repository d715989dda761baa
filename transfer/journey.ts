// How far one file has come, and the plan of its pieces. Kept apart from the requests, so that a journey can be
// interrupted anywhere and resumed.
import type { FileSource } from './ports.ts';
import type { SavedUpload } from './states.ts';
import { maxPieces } from './wire.ts';

export interface Journey {
  pieceBytes: number;
  pieceCount: number;
  uploadId: string | null;
  /** Pieces before it are with the server, */
  nextPiece: number;
  /** and this is their checksum. */
  crc: number;
  /** Later pieces the server has as well. */
  arrived: Set<number>;
  /** Taken over from an earlier visit: ask the server before believing it. */
  isUnconfirmed: boolean;
}

export function beginJourney(sizeBytes: number, pieceBytes: number): Journey {
  // Very large files get larger pieces than wished for, because their number is limited.
  const size = Math.max(pieceBytes, Math.ceil(sizeBytes / maxPieces));
  return {
    pieceBytes: size,
    pieceCount: Math.max(1, Math.ceil(sizeBytes / size)),
    uploadId: null,
    nextPiece: 0,
    crc: 0,
    arrived: new Set(),
    isUnconfirmed: false,
  };
}

/** Goes on where an earlier visit stopped; the caller has made sure that it is the same file. */
export function resumeJourney(saved: SavedUpload): Journey {
  const journey = beginJourney(saved.sizeBytes, saved.pieceBytes);
  // The last piece is always sent again: its answer holds the attachment.
  const nextPiece = Math.min(saved.nextPiece, journey.pieceCount - 1);
  if (nextPiece !== saved.nextPiece) return { ...journey, uploadId: saved.uploadId, isUnconfirmed: true };
  return { ...journey, uploadId: saved.uploadId, nextPiece, crc: saved.crc, isUnconfirmed: true };
}

export function savedJourney(journey: Journey, source: FileSource): SavedUpload | null {
  if (journey.uploadId === null) return null;
  const { pieceBytes, uploadId, nextPiece, crc } = journey;
  const { name, sizeBytes, modifiedAt } = source;
  return { name, sizeBytes, modifiedAt, pieceBytes, uploadId, nextPiece, crc };
}

/** What the server says it has. Pieces it has lost since are sent again. */
export function confirmJourney(journey: Journey, received: number[]): void {
  const arrived = new Set(received);
  for (let piece = 0; piece < journey.nextPiece; piece += 1) {
    if (arrived.has(piece)) continue;
    // The checksum of the pieces before is not known, so reading begins at the front; what arrived is not sent again.
    journey.nextPiece = 0;
    journey.crc = 0;
    break;
  }
  journey.arrived = arrived;
  journey.isUnconfirmed = false;
}

export function pieceRange(journey: Journey, piece: number, sizeBytes: number): { start: number; end: number } {
  const start = piece * journey.pieceBytes;
  return { start, end: Math.min(start + journey.pieceBytes, sizeBytes) };
}
