// Account: the addresses of the person. Which ones they are is the administrator's; which one is preselected is theirs.
import type { AliasesBody } from '#contract/app/account.ts';
import { useApi, useApiChange } from '../../api.ts';
import { useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { RadioGroup } from '../../ui/choice.tsx';
import { ProblemNotice } from '../../ui/error-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import classes from './account.module.css';
import { useChosen } from './chosen.ts';
import { SavedMark, useSaved } from './saved-mark.tsx';

export function AccountAddresses() {
  const text = useText('account');
  return (
    <Loaded query={useApi('getAliases', {})} lines={5}>
      {({ aliases }) => (
        <>
          <Senders aliases={aliases} />
          <Receivers aliases={aliases} />
          <p className={classes.muted}>{text('addressesLocked')}</p>
        </>
      )}
    </Loaded>
  );
}

function Senders({ aliases }: { aliases: AliasesBody }) {
  const text = useText('account');
  const change = useApiChange('changeAliases', ['account', 'me']);
  const saved = useSaved<'sender'>();
  const { shown, choose, undo } = useChosen(aliases.default_sender_alias);
  const choices = [...new Set([aliases.email, ...aliases.sender_aliases])];
  if (choices.length === 1)
    return (
      <Card title={text('sendAs')}>
        <p>{text.parts('sendAsOne', { address: <strong key="address">{aliases.email}</strong> })}</p>
      </Card>
    );
  const save = (address: string) => {
    choose(address);
    change.mutate(
      { body: { default_sender_alias: address } },
      { onSuccess: () => saved.note('sender'), onError: undo },
    );
  };
  return (
    <Card title={text('sendAs')} actions={<SavedMark isShown={saved.what === 'sender'} />}>
      <div className={classes.form}>
        <p className={classes.muted}>{text('sendAsHelp')}</p>
        <RadioGroup
          label={text('sendAs')}
          isLabelHidden
          value={shown}
          onChange={save}
          choices={choices.map((address) => ({
            value: address,
            label: address,
            help: text(address === aliases.email ? 'sendAsOwn' : 'sendAsAlias'),
          }))}
        />
        <ProblemNotice error={change.error} />
      </div>
    </Card>
  );
}

function Receivers({ aliases }: { aliases: AliasesBody }) {
  const text = useText('account');
  return (
    <Card title={text('receiveAt')}>
      {aliases.recipient_aliases.length === 0 ? (
        <p>{text.parts('receiveAtNone', { address: <strong key="address">{aliases.email}</strong> })}</p>
      ) : (
        <div className={classes.form}>
          <p className={classes.muted}>{text('receiveAtText')}</p>
          <ul className={classes.plain}>
            {aliases.recipient_aliases.map((address) => (
              <li key={address}>
                <strong>{address}</strong>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Card>
  );
}
