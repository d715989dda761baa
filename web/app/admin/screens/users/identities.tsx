// Who the person is at the sign-in services. System Administrators connect and disconnect by hand.
import { useState } from 'react';
import type { PersonDetailBody } from '#contract/admin/user-actions.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select } from '../../../ui/choice.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { Loaded, problemAt } from '../../../ui/states.tsx';
import { ReasonField } from '../../parts/reason.tsx';
import { systemAdministrators } from '../../roles.ts';

interface Props {
  person: PersonDetailBody;
}

export function Identities({ person: { id } }: Props) {
  const text = useText('admin/users');
  const formats = useFormats();
  const mayChange = systemAdministrators.includes(useMe().role);
  const query = useApi('listIdentities', { params: { id } });
  const services = useApi('listSignInServices', {}, { isEnabled: mayChange });
  const choices = (services.data?.sign_in_services ?? []).map((service) => ({
    value: service.id,
    label: service.name,
  }));
  const nameOf = (service: string) => choices.find(({ value }) => value === service)?.label ?? service;
  const [open, setOpen] = useState<{ is: 'connect' } | { is: 'disconnect'; identity: string; service: string } | null>(
    null,
  );
  const close = () => setOpen(null);
  return (
    <Card title={text('identities')}>
      <Loaded query={query}>
        {({ identities }) => (
          <Stack>
            {identities.length === 0 ? <Muted>{text('noIdentities')}</Muted> : null}
            {identities.map(({ id: identity, service, subject, created_at, last_used_at }) => (
              <Row key={identity}>
                <span>
                  {nameOf(service)}: <bdi>{subject}</bdi> ·{' '}
                  {last_used_at === null
                    ? text('identityConnected', { date: formats.dateOf(created_at) })
                    : text('identityUsed', { date: formats.dateTime(last_used_at) })}
                </span>
                {mayChange ? (
                  <Button
                    size="small"
                    aria-label={text('identityDisconnectNamed', { name: nameOf(service) })}
                    onClick={() => setOpen({ is: 'disconnect', identity, service: nameOf(service) })}
                  >
                    {text('identityDisconnect')}
                  </Button>
                ) : null}
              </Row>
            ))}
            {mayChange && choices.length > 0 ? (
              <div>
                <Button onClick={() => setOpen({ is: 'connect' })}>{text('identityConnectTitle')}</Button>
              </div>
            ) : null}
          </Stack>
        )}
      </Loaded>
      {open?.is === 'connect' ? <Connect id={id} choices={choices} onClose={close} /> : null}
      {open?.is === 'disconnect' ? <Disconnect id={id} {...open} onClose={close} /> : null}
    </Card>
  );
}

interface ConnectProps {
  id: string;
  choices: { value: string; label: string }[];
  onClose: () => void;
}

function Connect({ id, choices, onClose }: ConnectProps) {
  const text = useText('admin/users');
  const connect = useApiChange('linkIdentity', ['admin']);
  const [service, setService] = useState(choices[0]!.value);
  const [subject, setSubject] = useState('');
  const [reason, setReason] = useState('');
  const onConfirm = () =>
    connect.mutate({ params: { id }, body: { identity: { service, subject, reason } } }, { onSuccess: onClose });
  return (
    <ConfirmDialog
      title={text('identityConnectTitle')}
      confirmLabel={text('identityConnect')}
      change={connect}
      fields={['subject', 'reason']}
      hasInput
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{text('identityConnectText')}</p>
      <Select label={text('identityService')} choices={choices} value={service} onChange={setService} />
      <TextField
        label={text('identitySubject')}
        value={subject}
        onChange={setSubject}
        problem={problemAt(connect.error, 'subject')}
        autoComplete="off"
      />
      <ReasonField value={reason} onChange={setReason} problem={problemAt(connect.error, 'reason')} />
    </ConfirmDialog>
  );
}

interface DisconnectProps {
  id: string;
  identity: string;
  service: string;
  onClose: () => void;
}

function Disconnect({ id, identity, service, onClose }: DisconnectProps) {
  const text = useText('admin/users');
  const disconnect = useApiChange('unlinkIdentity', ['admin']);
  return (
    <ConfirmDialog
      isDanger
      title={text('identityDisconnectTitle', { name: service })}
      confirmLabel={text('identityDisconnect')}
      change={disconnect}
      onConfirm={() => disconnect.mutate({ params: { id, identity } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>{text('identityDisconnectText')}</p>
    </ConfirmDialog>
  );
}
