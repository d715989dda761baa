import { useEffect, useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { queryClient, useApi, useApiChange } from '../api.ts';
import { announce } from '../ui/announcer.tsx';

export type Task = CallAnswer<'getTask'>['task'];

const everyMs = 1000;

/** `resultOf` describes how the task ended. Null while loading. */
export function useTask(id: string, resultOf: (task: Task) => string) {
  const [isWatching, setIsWatching] = useState(true);
  const task = useApi('getTask', { params: { id } }, isWatching ? { everyMs } : {}).data?.task;
  const change = useApiChange('stopTask', ['admin']);
  const isOver = task !== undefined && task.finished_at !== null;
  const result = task === undefined ? '' : resultOf(task);
  useEffect(() => {
    if (!isOver) return;
    setIsWatching(false);
    announce(result);
    // Refetches the surrounding screen.
    void queryClient.invalidateQueries({ queryKey: ['admin'] });
  }, [isOver, result]);
  if (task === undefined) return null;
  const total = task.total ?? 0;
  const done = task.done + task.failed;
  return {
    task,
    isOver,
    result,
    done,
    total,
    share: total === 0 ? 0 : Math.min(1, done / total),
    stop: {
      run: () => change.mutate({ params: { id } }),
      isBusy: change.isPending || task.state === 'stopping',
      error: change.error,
    },
  };
}
