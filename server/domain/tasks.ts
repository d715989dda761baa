// Long tasks of administrators: they run in the background, show progress, can be stopped, and survive a restart.

export type TaskKind = 'transfers' | 'people' | 'leaver' | 'delete_expired' | 'check_files';
export type TaskState = 'waiting' | 'running' | 'stopping' | 'done' | 'stopped' | 'failed';

export interface TaskProgress {
  /** Where the next step continues. */
  progress: Record<string, unknown>;
  /** Null if unknown. */
  total: number | null;
  done: number;
  /** Refused steps. */
  failed: number;
}

export interface Task extends TaskProgress {
  id: string;
  kind: TaskKind;
  state: TaskState;
  input: Record<string, unknown>;
  /** The task acts with this account's rights. */
  startedBy: string;
  createdAt: number;
  finishedAt: number | null;
}

export interface TaskStep extends TaskProgress {
  isDone: boolean;
}
