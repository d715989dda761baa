import { type FileStatus, isOver } from '../../../transfer/states.ts';

export function isRunning({ state }: FileStatus): boolean {
  return !isOver(state);
}

/** True when something runs and all of it is paused. */
export function isAllPaused(files: readonly FileStatus[]): boolean {
  const running = files.filter(isRunning);
  return running.length > 0 && running.every(({ state }) => state === 'paused');
}
