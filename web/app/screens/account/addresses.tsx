// Administrators assign addresses; the user chooses the default sender.
import { useState } from 'react';
import type { AliasesBody } from '#contract/app/account.ts';
import { useApi, useApiChange } from '../../api.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { RadioGroup } from '../../ui/choice.tsx';
import { TextField } from '../../ui/field.tsx';
import { Muted, Row, Stack } from '../../ui/layout.tsx';
import { Loaded, Notice, ProblemNotice, problemAt } from '../../ui/states.tsx';
import { SettingCard, useSetting } from './setting-card.tsx';
import { Unconfirmed } from './unconfirmed.tsx';

export function AccountAddresses() {
  const text = useText('account');
  return (
    <Loaded query={useApi('getAliases', {})} lines={5}>
      {({ aliases }) => (
        <>
          <Unconfirmed addresses={aliases.unconfirmed} />
          <Senders aliases={aliases} />
          <Receivers aliases={aliases} />
          <Muted>{text('addressesLocked')}</Muted>
          {aliases.may_ask ? <AskForAlias /> : null}
        </>
      )}
    </Loaded>
  );
}

const topics = ['account', 'me'] as const;

function Senders({ aliases }: { aliases: AliasesBody }) {
  const text = useText('account');
  const inputOf = (address: string) => ({ body: { default_sender_alias: address } });
  const setting = useSetting({ value: aliases.default_sender_alias, call: 'changeAliases', topics, inputOf });
  const choices = [...new Set([aliases.email, ...aliases.sender_aliases])];
  if (choices.length === 1)
    return (
      <Card title={text('sendAs')}>
        <p>{text.parts('sendAsOne', { address: <strong key="address">{aliases.email}</strong> })}</p>
      </Card>
    );
  return (
    <SettingCard title={text('sendAs')} setting={setting}>
      <Muted>{text('sendAsHelp')}</Muted>
      <RadioGroup
        label={text('sendAs')}
        isLabelHidden
        value={setting.shown}
        onChange={setting.choose}
        choices={choices.map((address) => ({
          value: address,
          label: address,
          help: text(address === aliases.email ? 'sendAsOwn' : 'sendAsAlias'),
        }))}
      />
    </SettingCard>
  );
}

function Receivers({ aliases }: { aliases: AliasesBody }) {
  const text = useText('account');
  return (
    <Card title={text('receiveAt')}>
      {aliases.recipient_aliases.length === 0 ? (
        <p>{text.parts('receiveAtNone', { address: <strong key="address">{aliases.email}</strong> })}</p>
      ) : (
        <Stack>
          <Muted>{text('receiveAtText')}</Muted>
          <Stack as="ul" gap={8}>
            {aliases.recipient_aliases.map((address) => (
              <li key={address}>
                <strong>{address}</strong>
              </li>
            ))}
          </Stack>
        </Stack>
      )}
    </Card>
  );
}

function AskForAlias() {
  const text = useText('account');
  const [address, setAddress] = useState('');
  const [reason, setReason] = useState('');
  const ask = useApiChange('askForAlias', []);
  const fields = ['address', 'reason'];
  const isAtField = fields.some((field) => problemAt(ask.error, field) !== null);
  const go = () =>
    ask.mutate(
      { body: { address, reason } },
      {
        onSuccess() {
          setAddress('');
          setReason('');
          announce(text('askAddressSaid'));
        },
      },
    );
  return (
    <Card title={text('askAddress')}>
      <Stack>
        <Muted>{text('askAddressText')}</Muted>
        <TextField
          label={text('askAddressWhich')}
          type="email"
          autoComplete="off"
          value={address}
          onChange={setAddress}
          problem={problemAt(ask.error, 'address')}
        />
        <TextField
          label={text('askAddressWhy')}
          isOptional
          maxLength={500}
          autoComplete="off"
          value={reason}
          onChange={setReason}
          problem={problemAt(ask.error, 'reason')}
        />
        {isAtField ? null : <ProblemNotice error={ask.error} />}
        {ask.isSuccess ? <Notice tone="success">{text('askAddressSaid')}</Notice> : null}
        <Row>
          <Button isBusy={ask.isPending} onClick={go}>
            {text('askAddressGo')}
          </Button>
        </Row>
      </Stack>
    </Card>
  );
}
