import { useState } from 'react';
import type { PersonDetailBody } from '#contract/admin/user-actions.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Pairs, Stack } from '../../../ui/layout.tsx';
import { ProblemNotice } from '../../../ui/states.tsx';
import { ReasonDialog } from '../../parts/reason.tsx';

export function Access({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  return (
    <Card title={text('signIn')}>
      <Stack>
        <Pairs
          pairs={[
            { name: text('password'), value: text(person.has_password ? 'passwordSet' : 'passwordNone') },
            { name: text('secondStep'), value: text(person.second_step ? 'secondStepOn' : 'secondStepOff') },
            { name: text('clientKey'), value: text(person.has_client_key ? 'clientKeySet' : 'clientKeyNone') },
          ]}
        />
        {person.second_step && person.guard !== 'self' ? <ResetSecondStep person={person} /> : null}
        <RenewClientKey person={person} />
        {person.has_password || person.state === 'disabled' ? null : <InviteAgain person={person} />}
      </Stack>
    </Card>
  );
}

function ResetSecondStep({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  const [isOpen, setOpen] = useState(false);
  const change = useApiChange('resetSecondStep', ['admin']);
  const onSuccess = () => {
    setOpen(false);
    announce(text('secondStepGone'));
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{text('resetSecondStep')}</Button>
      {isOpen ? (
        <ReasonDialog
          isNotified
          isDanger
          title={text('resetTitle', { name: visibleText(person.name === '' ? person.email : person.name) })}
          confirmLabel={text('resetSecondStep')}
          cancelLabel={text('keepSecondStep')}
          change={change}
          onConfirm={(reason) =>
            change.mutate({ params: { id: person.id }, body: { reset: { reason } } }, { onSuccess })
          }
          onClose={() => setOpen(false)}
        >
          {text('resetText')}
        </ReasonDialog>
      ) : null}
    </>
  );
}

function RenewClientKey({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  const [isOpen, setOpen] = useState(false);
  const change = useApiChange('renewClientKey', ['admin']);
  const onSuccess = () => {
    setOpen(false);
    announce(text('clientKeyRenewed'));
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{text('renewClientKey')}</Button>
      {isOpen ? (
        <ReasonDialog
          isNotified
          isDanger
          title={text('renewTitle', { name: visibleText(person.name === '' ? person.email : person.name) })}
          confirmLabel={text('renewClientKey')}
          cancelLabel={text('keepClientKey')}
          change={change}
          onConfirm={(reason) =>
            change.mutate({ params: { id: person.id }, body: { client_key: { reason } } }, { onSuccess })
          }
          onClose={() => setOpen(false)}
        >
          {text('renewText')}
        </ReasonDialog>
      ) : null}
    </>
  );
}

function InviteAgain({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  const { can_send_mail: canMail } = useMe();
  const change = useApiChange('invitePerson', ['admin']);
  if (!canMail) return <p>{text('mailOff')}</p>;
  return (
    <>
      <Button
        isBusy={change.isPending}
        onClick={() =>
          change.mutate({ params: { id: person.id } }, { onSuccess: () => announce(text('invitedAgain')) })
        }
      >
        {text('inviteAgain')}
      </Button>
      {change.isSuccess ? <p>{text('invitedAgain')}</p> : null}
      <ProblemNotice error={change.error} />
    </>
  );
}
