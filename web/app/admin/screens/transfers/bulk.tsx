// The same for every open transfer of a list: a dry run that says how many, then work that is watched and can be stopped.
import { useState } from 'react';
import type { z } from 'zod';
import type { bulkTransfersInput } from '#contract/admin/transfers.ts';
import { useApiChange } from '../../../api.ts';
import { addDays } from '../../../dates.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { RadioGroup } from '../../../ui/choice.tsx';
import { DateField } from '../../../ui/date-field.tsx';
import { AskDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { Notice, ProblemNotice, problemAt } from '../../../ui/states.tsx';
import { useTask } from '../../task.ts';
import { ReasonField } from './dialogs.tsx';

type Bulk = z.input<typeof bulkTransfersInput>['bulk'];
type Action = Bulk['action'];

interface DialogProps {
  filters: Readonly<Record<string, string>>;
  onClose: () => void;
  onStarted: (taskId: string) => void;
}

export function BulkDialog({ filters, onClose, onStarted }: DialogProps) {
  const text = useText('admin/transfers');
  const { today } = useMe();
  const [action, setAction] = useState<Action>('stop');
  const [date, setDate] = useState<string | null>(addDays(today, 30));
  const [to, setTo] = useState('');
  const [reason, setReason] = useState('');
  const change = useApiChange('bulkTransfers', ['admin']);
  const bulk: Bulk = {
    action,
    filter: filterOf(filters),
    ...(action === 'extend' ? { expires_at: date ?? '' } : {}),
    ...(action === 'hand_over' ? { to } : {}),
    reason,
  };
  // What was checked is what is done: any change asks for another look.
  const [checked, setChecked] = useState<{ key: string; count: number } | null>(null);
  const key = JSON.stringify(bulk);
  const count = checked?.key === key ? checked.count : null;
  const go = () =>
    change.mutate(
      { body: { bulk: { ...bulk, dry_run: count === null } } },
      {
        onSuccess: ({ bulk: answer }) => {
          if (answer.task !== null) return onStarted(answer.task.id);
          setChecked({ key, count: answer.count });
          announce(text(answer.count === 0 ? 'bulkNone' : 'bulkCount', { n: answer.count }));
        },
      },
    );
  return (
    <AskDialog
      holdsWork
      title={text('bulkTitle')}
      goLabel={count === null ? text('bulkCheck') : text('bulkGo', { n: count })}
      change={change}
      fields={['to', 'expires_at']}
      isDisabled={count === 0}
      onGo={go}
      onClose={onClose}
    >
      <RadioGroup
        label={text('bulkAction')}
        value={action}
        onChange={setAction}
        choices={[
          { value: 'stop', label: text('stop'), help: text('stopText') },
          { value: 'extend', label: text('extend') },
          { value: 'hand_over', label: text('handOver'), help: text('handOverHelp') },
        ]}
      />
      <ActionFields action={action} date={date} onDate={setDate} to={to} onTo={setTo} error={change.error} />
      <ReasonField value={reason} onChange={setReason} />
      {count === null ? null : <Verdict count={count} />}
    </AskDialog>
  );
}

/** What the dry run found. */
function Verdict({ count }: { count: number }) {
  const text = useText('admin/transfers');
  return (
    <Notice tone={count === 0 ? 'info' : 'warning'}>
      {text(count === 0 ? 'bulkNone' : 'bulkCount', { n: count })}
    </Notice>
  );
}

interface FieldsProps {
  action: Action;
  date: string | null;
  onDate: (date: string | null) => void;
  to: string;
  onTo: (to: string) => void;
  error: Error | null;
}

/** What an action needs to know more. */
function ActionFields({ action, date, onDate, to, onTo, error }: FieldsProps) {
  const text = useText('admin/transfers');
  const { today } = useMe();
  if (action === 'extend')
    return (
      <DateField
        label={text('newUntil')}
        value={date}
        onChange={onDate}
        today={today}
        max={null}
        problem={problemAt(error, 'expires_at')}
      />
    );
  if (action === 'stop') return null;
  return (
    <TextField
      label={text('heir')}
      type="email"
      autoComplete="off"
      value={to}
      onChange={onTo}
      problem={problemAt(error, 'to')}
    />
  );
}

/** The words of the address as the call takes them. */
function filterOf({ older_than: days, ...rest }: Readonly<Record<string, string>>): Bulk['filter'] {
  return { ...rest, ...(days === undefined ? {} : { older_than: Number(days) }) } as Bulk['filter'];
}

/** How far the work has come; says its end. */
export function BulkProgress({ id, onClose }: { id: string; onClose: () => void }) {
  const text = useText('admin/transfers');
  const { number } = useFormats();
  const work = useTask(id, (task) => text(task.state === 'done' ? 'taskDone' : 'taskStopped', { n: task.done }));
  if (work === null) return null;
  const { task, stop } = work;
  if (work.isOver)
    return (
      <Notice tone={task.failed > 0 ? 'warning' : 'success'} onDismiss={onClose}>
        <Stack gap={4}>
          <span>{work.result}</span>
          {task.failed === 0 ? null : (
            <>
              <span>{text('taskRefused', { n: task.failed })}</span>
              <ul>
                {[...new Set(task.refused.map(({ sentence }) => sentence))].map((sentence) => (
                  <li key={sentence}>{sentence}</li>
                ))}
              </ul>
            </>
          )}
        </Stack>
      </Notice>
    );
  return (
    <Card>
      <Stack>
        <Progress
          label={text('taskLabel')}
          share={work.share}
          words={text('taskProgress', { done: number(work.done), total: number(work.total) })}
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
