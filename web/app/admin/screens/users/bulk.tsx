import { useState } from 'react';
import type { z } from 'zod';
import type { bulkPeopleInput } from '#contract/admin/user-bulk.ts';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { RadioGroup, Select } from '../../../ui/choice.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Stack } from '../../../ui/layout.tsx';
import { Notice, problemAt } from '../../../ui/states.tsx';
import { useGroupChoices } from '../../parts/group-choices.ts';
import { ReasonField } from '../../parts/reason.tsx';
import { TaskProgress } from '../../parts/task-progress.tsx';

type Bulk = z.input<typeof bulkPeopleInput>['bulk'];
type Plan = CallAnswer<'bulkPeople'>['bulk'];

/** The selected people, or all in the list. */
export type Whom = Pick<Bulk, 'people' | 'filter'>;

interface Props {
  whom: Whom;
  onClose: () => void;
  onStarted: (taskId: string) => void;
}

export function BulkDialog({ whom, onClose, onStarted }: Props) {
  const text = useText('admin/users');
  const [action, setAction] = useState<Bulk['action']>('move');
  const [group, setGroup] = useState('');
  const [reason, setReason] = useState('');
  const groups = useGroupChoices();
  const change = useApiChange('bulkPeople', ['admin']);
  const bulk: Bulk = { ...whom, action, ...(action === 'move' ? { group } : {}), reason };
  // Any change requires another dry run.
  const [checked, setChecked] = useState<{ key: string; plan: Plan } | null>(null);
  const key = JSON.stringify(bulk);
  const plan = checked?.key === key ? checked.plan : null;
  const go = () =>
    change.mutate(
      { body: { bulk: { ...bulk, dry_run: plan === null } } },
      {
        onSuccess: ({ bulk: answer }) => {
          if (answer.task !== null) return onStarted(answer.task.id);
          setChecked({ key, plan: answer });
          announce(text(answer.count === 0 ? 'bulkNone' : 'bulkCount', { n: answer.count }));
        },
      },
    );
  return (
    <ConfirmDialog
      hasInput
      title={text('bulkTitle')}
      confirmLabel={plan === null ? text('bulkCheck') : text('bulkGo', { n: plan.count })}
      change={change}
      fields={['group', 'reason']}
      isDisabled={plan?.count === 0 || (action === 'move' && group === '')}
      onConfirm={go}
      onClose={onClose}
    >
      <RadioGroup
        label={text('bulkAction')}
        value={action}
        onChange={setAction}
        choices={[
          { value: 'move', label: text('bulkMove'), help: text('bulkMoveHelp') },
          { value: 'suspend', label: text('switchOff'), help: text('bulkOffHelp') },
          { value: 'reactivate', label: text('switchOn') },
        ]}
      />
      {action === 'move' ? (
        <Select
          label={text('bulkGroup')}
          value={group}
          onChange={setGroup}
          choices={groups}
          isSearchable={groups.length > 10}
          problem={problemAt(change.error, 'group')}
        />
      ) : null}
      <ReasonField isOptional value={reason} onChange={setReason} problem={problemAt(change.error, 'reason')} />
      {plan === null ? null : <DryRunResult plan={plan} />}
    </ConfirmDialog>
  );
}

const mostNamed = 5;

function DryRunResult({ plan }: { plan: Plan }) {
  const text = useText('admin/users');
  const { count, sample, refused } = plan;
  const named = sample.slice(0, mostNamed);
  return (
    <Notice tone={count === 0 ? 'info' : 'warning'}>
      <Stack gap={4}>
        <span>{text(count === 0 ? 'bulkNone' : 'bulkCount', { n: count })}</span>
        {named.length === 0 ? null : (
          <ul>
            {named.map(({ id, name, email }) => (
              <li key={id}>
                <bdi>{visibleText(name === '' ? email : name)}</bdi>
              </li>
            ))}
            {count > named.length ? <li>{text('bulkMore', { n: count - named.length })}</li> : null}
          </ul>
        )}
        {refused.map(({ id, sentence }) => (
          <span key={id}>{sentence}</span>
        ))}
      </Stack>
    </Notice>
  );
}

export function PeopleTask({ id, onClose }: { id: string; onClose: () => void }) {
  const text = useText('admin/users');
  return (
    <TaskProgress
      id={id}
      label={text('taskLabel')}
      resultOf={({ kind, state, done, failed }) => {
        if (kind === 'people') return text(state === 'done' ? 'taskDone' : 'taskStopped', { n: done });
        return text(state === 'done' && failed === 0 ? 'leaverDone' : 'leaverKept', { n: done });
      }}
      onClose={onClose}
    />
  );
}
