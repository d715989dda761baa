// The tables of jobs and of tasks that administrators start. The conventions are those of schema.ts.
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
  /** How often it failed in a row; 0 after a success. */
  failures: number;
  /** When it failed last. */
  failed_at: number | null;
  /** Why it failed last; '' if it never did. */
  failure: string;
  /** How long the last run took. */
  took_ms: number | null;
}

/** Running processes. One whose number does not change has died: its downloads are closed. */
export interface ProcessesTable {
  /** As in `jobs.holder`. */
  id: string;
  /** The process increases it every ten seconds. */
  beats: number;
  /** The stores it reads, such as `s3 file`: where files are written, and where they were before. Null: before 0086. */
  stores: string | null;
}

/** Long work that an administrator has started: it can be watched and stopped, and continues after a restart. */
export interface TasksTable {
  id: string;
  kind: TaskKind;
  /** `stopping`: ends before its next step. */
  state: 'waiting' | 'running' | 'stopping' | 'done' | 'stopped' | 'failed';
  /** JSON. */
  input: string;
  /** The account whose rights it has. */
  started_by: string;
  /** Progress and findings, as JSON; a restart continues from here. */
  progress: string;
  /** Null if unknown. */
  total: number | null;
  done: number;
  /** Steps that were refused. */
  failed: number;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
}

/** How much was stored on each day, as measured last. */
export interface StorageDaysTable {
  day: string;
  at: number;
  /** Files of all users. */
  kept_bytes: number;
  /** Of the disk; null if the store does not report it. */
  used_bytes: number | null;
  total_bytes: number | null;
}

/** Finished backups and restore tests. */
export interface BackupRunsTable {
  kind: 'backup' | 'drill';
  started_at: number;
  finished_at: number;
  /** Why it failed, as a sentence; null after a success. */
  failure: string | null;
  /** The snapshot that was created or tested; '' when it failed before. */
  snapshot_id: string;
  /** Files that the snapshot has, or that were read. */
  files: number;
  /** Size of these files in the store; 0 for a restore test. */
  bytes: number;
}
