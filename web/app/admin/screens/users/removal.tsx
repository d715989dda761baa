// Disables, enables, deletes or erases an account.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { PersonDetailBody } from '#contract/admin/user-actions.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { basePath } from '../../../host-page.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button, ButtonAnchor } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { RadioGroup } from '../../../ui/choice.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { Loaded, Notice, problemAt } from '../../../ui/states.tsx';
import { ReasonField } from '../../parts/reason.tsx';
import { Offboarding } from './offboarding.tsx';

const nameOf = ({ name, email }: PersonDetailBody) => visibleText(name === '' ? email : name);

export function AccountRemoval({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  const [open, setOpen] = useState<'off' | 'end' | null>(null);
  const close = () => setOpen(null);
  const change = useApiChange('changeUser', ['admin']);
  const isOff = person.state === 'disabled';
  const turn = (disabled: boolean) =>
    change.mutate(
      { params: { id: person.id }, body: { user: { disabled } } },
      {
        onSuccess: () => {
          close();
          announce(text(disabled ? 'offSaid' : 'onSaid'));
        },
      },
    );
  if (person.guard !== null)
    return (
      <Card title={text('ending')}>
        <Notice tone="info">{text(person.guard === 'self' ? 'guardSelf' : 'guardLast')}</Notice>
      </Card>
    );
  return (
    <Card title={text('ending')}>
      <Stack>
        {isOff ? (
          <Button isBusy={change.isPending} onClick={() => turn(false)}>
            {text('switchOn')}
          </Button>
        ) : (
          <Button onClick={() => setOpen('off')}>{text('switchOff')}</Button>
        )}
        <Offboarding person={person} />
        <ButtonAnchor
          href={`${basePath}/admin/people/${encodeURIComponent(person.id)}/export`}
          download={`${person.id}.json`}
        >
          {text('exportPerson')}
        </ButtonAnchor>
        <Button variant="danger" onClick={() => setOpen('end')}>
          {text('deletePerson')}
        </Button>
      </Stack>
      {open === 'off' ? (
        <ConfirmDialog
          isDanger
          title={text('switchOffTitle', { name: nameOf(person) })}
          confirmLabel={text('switchOff')}
          cancelLabel={text('keepOn')}
          change={change}
          onConfirm={() => turn(true)}
          onClose={close}
        >
          {text('switchOffText')}
        </ConfirmDialog>
      ) : null}
      {open === 'end' ? <Delete person={person} onClose={close} /> : null}
    </Card>
  );
}

type How = 'hand' | 'delete' | 'erase';
const confirmLabels = { hand: 'handPerson', delete: 'deletePerson', erase: 'erasePerson' } as const;

function useDeletion(person: PersonDetailBody) {
  const text = useText('admin/users');
  const navigate = useNavigate();
  const known = useQueryClient();
  const [how, setHow] = useState<How>('hand');
  const [typed, setTyped] = useState('');
  const [to, setTo] = useState('');
  const [reason, setReason] = useState('');
  const hand = useApiChange('deletePerson', []);
  const remove = useApiChange('deleteUser', []);
  const erase = useApiChange('erasePerson', []);
  const params = { id: person.id };
  // Navigate away first; refetching a deleted person would 404.
  const leaveScreen = async (params: Record<string, string>) => {
    await navigate({ to: '/admin/people', search: params as never });
    await known.invalidateQueries({ queryKey: ['admin'] });
  };
  const onSuccess = () => {
    announce(text('deletedSaid', { name: nameOf(person) }));
    return leaveScreen({});
  };
  const go = () => {
    if (how === 'hand')
      hand.mutate(
        { params, body: { deletion: { email: typed, to, reason } } },
        { onSuccess: ({ task }) => leaveScreen({ task: task.id }) },
      );
    else if (how === 'delete') remove.mutate({ params }, { onSuccess });
    else erase.mutate({ params, body: { erasure: { email: typed, reason } } }, { onSuccess });
  };
  return {
    how,
    setHow,
    typed,
    setTyped,
    to,
    setTo,
    reason,
    setReason,
    go,
    change: { hand, delete: remove, erase }[how],
  };
}

function Delete({ person, onClose }: { person: PersonDetailBody; onClose: () => void }) {
  const text = useText('admin/users');
  const { how, setHow, typed, setTyped, to, setTo, reason, setReason, go, change } = useDeletion(person);
  return (
    <ConfirmDialog
      isDanger
      hasInput
      title={text('deleteTitle', { name: nameOf(person) })}
      confirmLabel={text(confirmLabels[how])}
      cancelLabel={text('keepPerson')}
      change={change}
      fields={['email', 'reason', 'to']}
      isDisabled={typed.trim().toLowerCase() !== person.email.toLowerCase()}
      onConfirm={go}
      onClose={onClose}
    >
      <RadioGroup
        label={text('deleteHow')}
        value={how}
        onChange={setHow}
        choices={[
          { value: 'hand', label: text('howHand'), help: text('howHandHelp') },
          { value: 'delete', label: text('howDelete'), help: text('howDeleteHelp') },
          { value: 'erase', label: text('howErase'), help: text('howEraseHelp') },
        ]}
      />
      <Plan person={person} how={how} />
      {how === 'hand' ? (
        <TextField
          label={text('heir')}
          type="email"
          value={to}
          onChange={setTo}
          problem={problemAt(change.error, 'to')}
          autoComplete="off"
        />
      ) : null}
      {how === 'delete' ? null : (
        <ReasonField
          isOptional={how === 'hand'}
          value={reason}
          onChange={setReason}
          problem={problemAt(change.error, 'reason')}
        />
      )}
      <TextField
        label={text('typeAddress', { email: person.email })}
        value={typed}
        onChange={setTyped}
        problem={problemAt(change.error, 'email')}
        autoComplete="off"
      />
    </ConfirmDialog>
  );
}

const keptTexts = { log: 'keptLog', received: 'keptReceived', downloads: 'keptDownloads', mails: 'keptMails' } as const;
/** An erasure keeps the same, without personal data. */
const keptErased = {
  log: 'keptLogErased',
  received: 'keptReceivedErased',
  downloads: 'keptDownloadsErased',
  mails: 'keptMails',
} as const;

function Plan({ person, how }: { person: PersonDetailBody; how: How }) {
  const text = useText('admin/users');
  const formats = useFormats();
  const plan = useApi('planErasure', { params: { id: person.id } });
  return (
    <Loaded query={plan}>
      {({ erasure: { erased, kept } }) => (
        <Stack gap={8}>
          <p>
            {text(how === 'hand' ? 'planHanded' : 'planGone', {
              files: erased.files,
              size: formats.size(erased.bytes),
              messages: erased.messages,
              links: erased.links,
              requests: erased.requests,
            })}
          </p>
          <p>{text('planKept')}</p>
          <Stack as="ul" gap={4}>
            {kept.map((what) => (
              <li key={what}>
                <Muted as="span">{text((how === 'erase' ? keptErased : keptTexts)[what])}</Muted>
              </li>
            ))}
            {how === 'erase' ? null : (
              <li>
                <Muted as="span">{text('keptTexts')}</Muted>
              </li>
            )}
          </Stack>
        </Stack>
      )}
    </Loaded>
  );
}
