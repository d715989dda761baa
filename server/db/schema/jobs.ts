// The tables of jobs and of long work that administrators start; the conventions of schema.ts.
import type { TaskKind } from '../../domain/tasks.ts';

/** Which process runs a job, and what stopped it. */
export interface JobsTable {
  name: string;
  /** The process that runs it, or ran it last. */
  holder: string;
  /** 0 when it is not running. */
  lease_ends_at: number;
  last_run_at: number | null;
  /** Why the safety limit paused it; null when it runs. */
  held_because: string | null;
  note: string;
  /** How often it failed in a row; 0 after a run that went well. */
  failures: number;
  /** When it failed last. */
  failed_at: number | null;
  /** Why it failed last; '' when it never did. */
  failure: string;
  /** How long the last run took. */
  took_ms: number | null;
}

/** Processes that serve. One whose number stands still has died: what it served is closed. */
export interface ProcessesTable {
  /** As in `jobs.holder`. */
  id: string;
  /** The process raises it every ten seconds. */
  beats: number;
}

/** Long work that an administrator has started: it can be watched and stopped, and survives a restart. */
export interface TasksTable {
  id: string;
  kind: TaskKind;
  /** `stopping`: a stop was requested; it ends before its next step. */
  state: 'waiting' | 'running' | 'stopping' | 'done' | 'stopped' | 'failed';
  /** What to do, as JSON. */
  input: string;
  /** The account whose rights it acts with. */
  started_by: string;
  /** Progress and findings, as JSON; a restart continues from here. */
  progress: string;
  /** Null while not known. */
  total: number | null;
  done: number;
  /** Steps that were refused. */
  failed: number;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
}

/** How much was stored on each day; the last look of a day counts. */
export interface StorageDaysTable {
  day: string;
  at: number;
  /** Files of all people. */
  kept_bytes: number;
  /** Of the disk; null where the store does not say. */
  used_bytes: number | null;
  total_bytes: number | null;
}

/** Backups and restore drills that have ended, well or not. */
export interface BackupRunsTable {
  kind: 'backup' | 'drill';
  started_at: number;
  finished_at: number;
  /** Why it failed, as a sentence; null when it went well. */
  failure: string | null;
  /** The snapshot that was made or tried; '' when it failed before there was one. */
  snapshot_id: string;
  /** Files that the snapshot has, or that were read. */
  files: number;
  /** Of these files, as stored; 0 for a drill. */
  bytes: number;
}
