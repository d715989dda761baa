// Work on all files while it runs, with a way to stop it, and what came of it.
import { useEffect, useState } from 'react';
import { queryClient, useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { Notice, ProblemNotice } from '../../../ui/states.tsx';

const everyMs = 1000;

export function TaskProgress({ id, onClose }: { id: string; onClose: () => void }) {
  const text = useText('admin/storage');
  const { number } = useFormats();
  const [isWatching, setIsWatching] = useState(true);
  const task = useApi('getTask', { params: { id } }, isWatching ? { everyMs } : {}).data?.task;
  const stop = useApiChange('stopTask', ['admin']);
  const isOver = task !== undefined && task.finished_at !== null;
  const isDeletion = task?.kind === 'delete_expired';
  const result = task === undefined ? '' : text(isDeletion ? 'deleted' : 'checked', { n: task.done });
  useEffect(() => {
    if (!isOver) return;
    setIsWatching(false);
    announce(result);
    // The sums around it show what it did.
    void queryClient.invalidateQueries({ queryKey: ['admin'] });
  }, [isOver, result]);
  if (task === undefined) return null;
  if (isOver)
    return (
      <Notice tone={task.failed > 0 ? 'warning' : 'success'} onDismiss={onClose}>
        {result} {task.failed === 0 ? null : text('mismatched', { n: task.failed })}
      </Notice>
    );
  const total = task.total ?? 0;
  const done = task.done + task.failed;
  return (
    <Stack>
      <Progress
        label={text(isDeletion ? 'deleting' : 'checking')}
        share={total === 0 ? 0 : Math.min(1, done / total)}
        words={text('progress', { done: number(done), total: number(total) })}
      />
      <Row>
        <Button isBusy={stop.isPending || task.state === 'stopping'} onClick={() => stop.mutate({ params: { id } })}>
          {text('stop')}
        </Button>
      </Row>
      <ProblemNotice error={stop.error} />
    </Stack>
  );
}
