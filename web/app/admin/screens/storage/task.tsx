import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { Notice, ProblemNotice } from '../../../ui/states.tsx';
import { type Task, useTask } from '../../task.ts';

const isDeletion = ({ kind }: Task) => kind === 'delete_expired';

export function TaskProgress({ id, onClose }: { id: string; onClose: () => void }) {
  const text = useText('admin/storage');
  const { number } = useFormats();
  const work = useTask(id, (task) => text(isDeletion(task) ? 'deleted' : 'checked', { n: task.done }));
  if (work === null) return null;
  const { task, stop } = work;
  if (work.isOver)
    return (
      <Notice tone={task.failed > 0 ? 'warning' : 'success'} onDismiss={onClose}>
        {work.result} {task.failed === 0 ? null : text('mismatched', { n: task.failed })}
      </Notice>
    );
  return (
    <Stack>
      <Progress
        label={text(isDeletion(task) ? 'deleting' : 'checking')}
        share={work.share}
        text={text('progress', { done: number(work.done), total: number(work.total) })}
      />
      <Row>
        <Button isBusy={stop.isBusy} onClick={stop.run}>
          {text('stop')}
        </Button>
      </Row>
      <ProblemNotice error={stop.error} />
    </Stack>
  );
}
