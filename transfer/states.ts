import type { FileSource } from './ports.ts';

/** queued → checking → sending → finishing → ready. */
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
  /** A rule forbids it. */
  | 'not-allowed'
  | 'failed';

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
  /** Null when only the reason is known. */
  sentence: string | null;
  reason: FailureReason | null;
  refusal?: ServerRefusal | undefined;
  attachmentId: string | null;
}

/** Browsers and the CLI store it as JSON, so the field names must not change. */
export interface SavedUpload {
  name: string;
  sizeBytes: number;
  modifiedAt: number | null;
  pieceBytes: number;
  uploadId: string;
  /** All chunks before it have arrived. */
  nextPiece: number;
  /** Covers the chunks before `nextPiece`. */
  crc: number;
}

export type Halt = 'signed-out' | 'full';

export type TransferEvent =
  | { is: 'state'; file: FileStatus; was: FileState }
  | { is: 'progress'; file: FileStatus }
  | { is: 'saved'; id: string; upload: SavedUpload }
  | { is: 'removed'; id: string }
  /** Everything waits for `resume`. */
  | { is: 'halted'; reason: Halt; sentence: string | null }
  | { is: 'resumed' }
  | { is: 'offline' }
  | { is: 'online' };

export interface Totals {
  /** Excludes refused, failed and removed files. */
  fileCount: number;
  readyCount: number;
  sentBytes: number;
  totalBytes: number;
}

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
