// Switching an account off and on, and its end: deleting it, or erasing everything about the person, with what is kept and why.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { PersonDetailBody } from '#contract/admin/user-actions.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { RadioGroup } from '../../../ui/choice.tsx';
import { AskDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { Loaded, Notice, problemAt } from '../../../ui/states.tsx';

const nameOf = ({ name, email }: PersonDetailBody) => visibleText(name === '' ? email : name);

export function Ending({ person }: { person: PersonDetailBody }) {
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
        <Button variant="danger" onClick={() => setOpen('end')}>
          {text('deletePerson')}
        </Button>
      </Stack>
      {open === 'off' ? (
        <AskDialog
          isDanger
          title={text('switchOffTitle', { name: nameOf(person) })}
          goLabel={text('switchOff')}
          keepLabel={text('keepOn')}
          change={change}
          onGo={() => turn(true)}
          onClose={close}
        >
          {text('switchOffText')}
        </AskDialog>
      ) : null}
      {open === 'end' ? <Delete person={person} onClose={close} /> : null}
    </Card>
  );
}

function useDeletion(person: PersonDetailBody) {
  const text = useText('admin/users');
  const navigate = useNavigate();
  const known = useQueryClient();
  const [how, setHow] = useState<'delete' | 'erase'>('delete');
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const remove = useApiChange('deleteUser', []);
  const erase = useApiChange('erasePerson', []);
  const params = { id: person.id };
  // Away from here first: there is nobody left to read about.
  const onSuccess = async () => {
    announce(text('deletedSaid', { name: nameOf(person) }));
    await navigate({ to: '/admin/people' });
    await known.invalidateQueries({ queryKey: ['admin'] });
  };
  const go = () =>
    how === 'delete'
      ? remove.mutate({ params }, { onSuccess })
      : erase.mutate({ params, body: { erasure: { email: typed, reason } } }, { onSuccess });
  return { how, setHow, typed, setTyped, reason, setReason, go, change: how === 'delete' ? remove : erase };
}

function Delete({ person, onClose }: { person: PersonDetailBody; onClose: () => void }) {
  const text = useText('admin/users');
  const { how, setHow, typed, setTyped, reason, setReason, go, change } = useDeletion(person);
  return (
    <AskDialog
      isDanger
      holdsWork
      title={text('deleteTitle', { name: nameOf(person) })}
      goLabel={text(how === 'delete' ? 'deletePerson' : 'erasePerson')}
      keepLabel={text('keepPerson')}
      change={change}
      fields={['email', 'reason']}
      isDisabled={typed.trim().toLowerCase() !== person.email.toLowerCase()}
      onGo={go}
      onClose={onClose}
    >
      <RadioGroup
        label={text('deleteHow')}
        value={how}
        onChange={setHow}
        choices={[
          { value: 'delete', label: text('howDelete'), help: text('howDeleteHelp') },
          { value: 'erase', label: text('howErase'), help: text('howEraseHelp') },
        ]}
      />
      <Plan person={person} isErasure={how === 'erase'} />
      {how === 'erase' ? (
        <TextField
          label={text('reason')}
          help={text('reasonHelp')}
          value={reason}
          onChange={setReason}
          problem={problemAt(change.error, 'reason')}
        />
      ) : null}
      <TextField
        label={text('typeAddress', { email: person.email })}
        value={typed}
        onChange={setTyped}
        problem={problemAt(change.error, 'email')}
        autoComplete="off"
      />
    </AskDialog>
  );
}

const keptWords = { log: 'keptLog', received: 'keptReceived', downloads: 'keptDownloads', mails: 'keptMails' } as const;

/** What goes and what stays, in words. */
function Plan({ person, isErasure }: { person: PersonDetailBody; isErasure: boolean }) {
  const text = useText('admin/users');
  const formats = useFormats();
  const plan = useApi('planErasure', { params: { id: person.id } });
  return (
    <Loaded query={plan}>
      {({ erasure: { erased, kept } }) => (
        <Stack gap={8}>
          <p>
            {text('planGone', {
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
                <Muted as="span">{text(keptWords[what])}</Muted>
              </li>
            ))}
            {isErasure ? null : (
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
