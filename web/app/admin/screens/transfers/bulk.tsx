import { useState } from 'react';
import type { z } from 'zod';
import type { bulkTransfersInput } from '#contract/admin/transfers.ts';
import { useApiChange } from '../../../api.ts';
import { addDays } from '../../../dates.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { RadioGroup } from '../../../ui/choice.tsx';
import { DateField } from '../../../ui/date-field.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Notice, problemAt } from '../../../ui/states.tsx';
import { ReasonField } from '../../parts/reason.tsx';
import { TaskProgress } from '../../parts/task-progress.tsx';

type Bulk = z.input<typeof bulkTransfersInput>['bulk'];
export type BulkAction = Bulk['action'];

/** The action chosen first, and the transfers: those of the list's filters, or with these references. */
export interface BulkRequest {
  action: BulkAction;
  filters: Readonly<Record<string, string>> | { references: string[] };
}

interface DialogProps {
  request: BulkRequest;
  onClose: () => void;
  onStarted: (taskId: string) => void;
}

export function BulkDialog({ request, onClose, onStarted }: DialogProps) {
  const text = useText('admin/transfers');
  const { today } = useMe();
  const [action, setAction] = useState(request.action);
  const [date, setDate] = useState<string | null>(addDays(today, 30));
  const [to, setTo] = useState('');
  const [reason, setReason] = useState('');
  const change = useApiChange('bulkTransfers', ['admin']);
  const bulk: Bulk = {
    action,
    filter: filterOf(request.filters),
    ...(action === 'extend' ? { expires_at: date ?? '' } : {}),
    ...(action === 'hand_over' ? { to } : {}),
    reason,
  };
  // Any change requires another dry run.
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
    <ConfirmDialog
      hasInput
      title={useTitle(request)}
      confirmLabel={count === null ? text('bulkCheck') : text('bulkGo', { n: count })}
      change={change}
      fields={['to', 'expires_at']}
      isDisabled={count === 0}
      onConfirm={go}
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
      <ReasonField isOptional value={reason} onChange={setReason} />
      {count === null ? null : <DryRunResult count={count} />}
    </ConfirmDialog>
  );
}

function useTitle({ filters }: BulkRequest): string {
  const text = useText('admin/transfers');
  return 'references' in filters ? text('bulkSelected', { n: filters.references.length }) : text('bulkTitle');
}

function DryRunResult({ count }: { count: number }) {
  const text = useText('admin/transfers');
  return (
    <Notice tone={count === 0 ? 'info' : 'warning'}>
      {text(count === 0 ? 'bulkNone' : 'bulkCount', { n: count })}
    </Notice>
  );
}

interface FieldsProps {
  action: BulkAction;
  date: string | null;
  onDate: (date: string | null) => void;
  to: string;
  onTo: (to: string) => void;
  error: Error | null;
}

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

function filterOf(filters: BulkRequest['filters']): Bulk['filter'] {
  if ('references' in filters) return { references: filters.references as string[] };
  const { older_than: days, ...rest } = filters;
  return { ...rest, ...(days === undefined ? {} : { older_than: Number(days) }) } as Bulk['filter'];
}

export function BulkProgress({ id, onClose }: { id: string; onClose: () => void }) {
  const text = useText('admin/transfers');
  return (
    <TaskProgress
      id={id}
      label={text('taskLabel')}
      resultOf={({ state, done }) => text(state === 'done' ? 'taskDone' : 'taskStopped', { n: done })}
      onClose={onClose}
    />
  );
}
