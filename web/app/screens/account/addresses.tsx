// Account: the addresses of the person. Which ones they are is the administrator's; which one is preselected is theirs.
import type { AliasesBody } from '#contract/app/account.ts';
import { useApi } from '../../api.ts';
import { useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { RadioGroup } from '../../ui/choice.tsx';
import { Muted, Stack } from '../../ui/layout.tsx';
import { Loaded } from '../../ui/states.tsx';
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
