// Long tasks survive a restart.

export type TaskKind = 'transfers' | 'people' | 'leaver' | 'delete_expired' | 'check_files';
export type TaskState = 'waiting' | 'running' | 'stopping' | 'done' | 'stopped' | 'failed';

export interface TaskProgress {
  /** Where the next step continues. */
  progress: Record<string, unknown>;
  /** Null if unknown. */
  total: number | null;
  done: number;
  failed: number;
}

export interface Task extends TaskProgress {
  id: string;
  kind: TaskKind;
  state: TaskState;
  input: Record<string, unknown>;
  startedBy: string;
  createdAt: number;
  finishedAt: number | null;
}

export interface TaskStep extends TaskProgress {
  isDone: boolean;
}
