import { useFormats } from '../../formats.ts';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Row, Stack } from '../../ui/layout.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Notice, ProblemNotice } from '../../ui/states.tsx';
import { type Task, useTask } from '../task.ts';

interface Props {
  id: string;
  /** Title of the task, such as `Changing people`. */
  label: string;
  resultOf: (task: Task) => string;
  onClose: () => void;
}

export function TaskProgress({ id, label, resultOf, onClose }: Props) {
  const text = useText('admin/console');
  const { number } = useFormats();
  const work = useTask(id, resultOf);
  if (work === null) return null;
  const { task, stop } = work;
  if (work.isOver)
    return (
      <Notice tone={task.failed > 0 || task.state !== 'done' ? 'warning' : 'success'} onDismiss={onClose}>
        <Stack gap={4}>
          <span>{work.result}</span>
          <Refused task={task} />
        </Stack>
      </Notice>
    );
  return (
    <Card>
      <Stack>
        <Progress
          label={label}
          share={work.share}
          text={text('taskProgress', { done: number(work.done), total: number(work.total) })}
        />
        <Row>
          <Button isBusy={stop.isBusy} onClick={stop.run}>
            {text('taskStop')}
          </Button>
        </Row>
        <ProblemNotice error={stop.error} />
      </Stack>
    </Card>
  );
}

function Refused({ task }: { task: Task }) {
  const text = useText('admin/console');
  if (task.failed === 0) return null;
  return (
    <>
      <span>{text('taskRefused', { n: task.failed })}</span>
      <ul>
        {[...new Set(task.refused.map(({ sentence }) => sentence))].map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}
