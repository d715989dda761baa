// Long tasks of administrators: they run in the background, show progress, can be stopped, and survive a restart.

export type TaskKind = 'transfers' | 'people' | 'leaver' | 'delete_expired' | 'check_files';
export type TaskState = 'waiting' | 'running' | 'stopping' | 'done' | 'stopped' | 'failed';

export interface TaskProgress {
  /** How far it came and what it found; the next step begins here. */
  progress: Record<string, unknown>;
  /** Null while not known. */
  total: number | null;
  done: number;
  /** Steps that were refused. */
  failed: number;
}

export interface Task extends TaskProgress {
  id: string;
  kind: TaskKind;
  state: TaskState;
  input: Record<string, unknown>;
  /** The account whose rights it acts with. */
  startedBy: string;
  createdAt: number;
  finishedAt: number | null;
}

/** What one step of a task has come to. */
export interface TaskStep extends TaskProgress {
  isDone: boolean;
}
