// What the screens see of a transfer: the state of each file, and what happened.
import type { FileSource } from './ports.ts';

/** queued → checking → sending → finishing → ready; the others are where it can stop. */
export type FileState =
  | 'queued'
  | 'checking'
  | 'sending'
  | 'finishing'
  | 'ready'
  | 'paused'
  /** Offline. */
  | 'waiting'
  | 'retrying'
  /** A rule forbids it; trying again changes nothing. */
  | 'not-allowed'
  | 'failed';

/** Why a file failed or was not allowed, where the server gave no sentence. */
export type FailureReason = 'refused' | 'differs' | 'unreadable';

export interface ServerRefusal {
  status: number;
  code: string | null;
}

export interface FileStatus {
  id: string;
  source: FileSource;
  state: FileState;
  sentBytes: number;
  /** Of the server or of a rule; null when only the reason is known. */
  sentence: string | null;
  reason: FailureReason | null;
  /** Present when the server refused it. */
  refusal?: ServerRefusal | undefined;
  /** When ready. */
  attachmentId: string | null;
}

/** Enough to resume after a reload, with the file chosen again. Plain data, to be kept as JSON. */
export interface SavedUpload {
  name: string;
  sizeBytes: number;
  modifiedAt: number | null;
  pieceBytes: number;
  uploadId: string;
  /** Pieces before this one have arrived, */
  nextPiece: number;
  /** and this is their checksum. */
  crc: number;
}

export type Halt = 'signed-out' | 'full';

export type TransferEvent =
  | { is: 'state'; file: FileStatus; was: FileState }
  | { is: 'progress'; file: FileStatus }
  | { is: 'saved'; id: string; upload: SavedUpload }
  | { is: 'removed'; id: string }
  /** Everything stops until `resume`: people have to do something first. */
  | { is: 'halted'; reason: Halt; sentence: string | null }
  | { is: 'resumed' }
  | { is: 'offline' }
  | { is: 'online' };

export interface Totals {
  /** Without files that were refused, failed or removed. */
  fileCount: number;
  readyCount: number;
  sentBytes: number;
  totalBytes: number;
}

/** Nothing more will happen to it by itself. */
export function isOver(state: FileState): boolean {
  return state === 'ready' || state === 'not-allowed' || state === 'failed';
}

export function totalsOf(statuses: readonly FileStatus[]): Totals {
  const counted = statuses.filter(({ state }) => state !== 'not-allowed' && state !== 'failed');
  return {
    fileCount: counted.length,
    readyCount: counted.filter(({ state }) => state === 'ready').length,
    sentBytes: counted.reduce((sum, { sentBytes }) => sum + sentBytes, 0),
    totalBytes: counted.reduce((sum, { source }) => sum + source.sizeBytes, 0),
  };
}
