// The dialogs of API keys: making one, showing the main one, replacing, renewing and revoking. A key in clear lives in the
// dialog that shows it and goes with it.
import { type FormEvent, useState } from 'react';
import type { AppApiKeyBody } from '#contract/app/security.ts';
import { useApi, useApiChange } from '../../api.ts';
import { addDays } from '../../dates.ts';
import { useMe } from '../../me.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { DateField } from '../../ui/date-field.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { ProblemNotice, problemAt } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import classes from './account.module.css';
import { AskPassword } from './ask-password.tsx';

export type KeyAction =
  | { is: 'create' }
  | { is: 'show' | 'replace' | 'renew' | 'revoke'; apiKey: AppApiKeyBody; name: string };

interface Props {
  action: KeyAction | null;
  onClose: () => void;
}

/** One at a time; each starts anew when it is opened. */
export function KeyDialogs({ action, onClose }: Props) {
  if (action === null) return null;
  if (action.is === 'create') return <Create onClose={onClose} />;
  if (action.is === 'show') return <Show {...action} onClose={onClose} />;
  if (action.is === 'revoke') return <Revoke {...action} onClose={onClose} />;
  return <Replace {...action} endsNow={action.is === 'renew'} onClose={onClose} />;
}

interface ForKey {
  apiKey: AppApiKeyBody;
  name: string;
  onClose: () => void;
}

/** Without a limit of the group, a key may work ten years (server/actions/api-keys/own-api-keys.ts). */
const farDays = 3650;

function Create({ onClose }: { onClose: () => void }) {
  const text = useText('account');
  const { today } = useMe();
  const lifetimeDays = useApi('getRules', {}).data?.rules.account.api_key_lifetime_days ?? null;
  const change = useApiChange('createApiKey', ['account']);
  const [name, setName] = useState('');
  const [until, setUntil] = useState<string | null>(null);
  const create = (event: FormEvent) => {
    event.preventDefault();
    const body = { name, ...(until === null ? {} : { expires_at: until }) };
    change.mutate({ body }, { onSuccess: () => announce(text('keyCreatedSaid')) });
  };
  const made = change.data?.api_key;
  if (made !== undefined) return <Fresh name={made.name} value={made.key} isNamed onClose={onClose} />;
  const isForField = ['name', 'expires_at'].some((field) => problemAt(change.error, field) !== null);
  return (
    <Dialog title={text('newKey')} isOpen onClose={onClose} holdsWork>
      <form className={classes.dialog} onSubmit={create}>
        <TextField
          label={text('keyName')}
          help={text('keyNameHelp')}
          value={name}
          onChange={setName}
          problem={problemAt(change.error, 'name')}
          autoComplete="off"
          isFocusedFirst
        />
        <DateField
          label={text('keyExpiry')}
          isOptional
          value={until}
          onChange={setUntil}
          today={today}
          max={addDays(today, lifetimeDays ?? farDays)}
          quickDays={[30, 90, 365]}
          problem={problemAt(change.error, 'expires_at')}
        />
        {isForField ? null : <ProblemNotice error={change.error} />}
        <div className={classes.end}>
          <Button type="submit" variant="primary" isBusy={change.isPending}>
            {text('keyCreate')}
          </Button>
          <Button onClick={onClose}>{text('cancel')}</Button>
        </div>
      </form>
    </Dialog>
  );
}

interface FreshProps {
  name: string;
  value: string;
  /** Named ones are known to nobody after this. */
  isNamed: boolean;
  onClose: () => void;
}

function Fresh({ name, value, isNamed, onClose }: FreshProps) {
  const text = useText('account');
  return (
    <Dialog
      title={text('keyCreatedTitle', { name })}
      isOpen
      onClose={onClose}
      holdsWork
      actions={
        <Button variant="primary" onClick={onClose}>
          {text('keyDone')}
        </Button>
      }
    >
      <div className={classes.dialog}>
        <Notice tone={isNamed ? 'warning' : 'info'}>{text(isNamed ? 'keyOnce' : 'keyAgain')}</Notice>
        <CopyField label={text('keyValue')} value={value} said={text('keyCopied')} isFocusedFirst />
      </div>
    </Dialog>
  );
}

function Show({ apiKey, name, onClose }: ForKey) {
  const text = useText('account');
  const change = useApiChange('showApiKey', []);
  const shown = change.data?.api_key.key;
  if (shown !== undefined) return <Fresh name={name} value={shown} isNamed={false} onClose={onClose} />;
  return (
    <Dialog title={text('keyShowTitle')} isOpen onClose={onClose}>
      <AskPassword
        go="keyShow"
        error={change.error}
        isBusy={change.isPending}
        onGo={(password) => change.mutate({ params: { id: apiKey.id }, body: { password } })}
        onCancel={onClose}
      />
    </Dialog>
  );
}

function Replace({ apiKey, name, endsNow, onClose }: ForKey & { endsNow: boolean }) {
  const text = useText('account');
  const change = useApiChange('replaceApiKey', ['account']);
  const made = change.data?.api_key;
  if (made !== undefined)
    return <Fresh name={name} value={made.key} isNamed={made.kind === 'named'} onClose={onClose} />;
  const consequence =
    apiKey.state === 'expired' ? 'keyReplaceExpiredText' : endsNow ? 'keyRenewText' : 'keyReplaceText';
  return (
    <ConfirmDialog
      question={text(endsNow ? 'keyRenewTitle' : 'keyReplaceTitle', { name })}
      consequence={text(consequence)}
      keepLabel={text('keyKeep')}
      goLabel={text(endsNow ? 'keyRenewGo' : 'keyReplace')}
      isOpen
      isDanger={endsNow}
      isBusy={change.isPending}
      problem={<ProblemNotice error={change.error} />}
      onKeep={onClose}
      onGo={() =>
        change.mutate(
          { params: { id: apiKey.id }, body: { ends_now: endsNow } },
          { onSuccess: () => announce(text('keyCreatedSaid')) },
        )
      }
    />
  );
}

function Revoke({ apiKey, name, onClose }: ForKey) {
  const text = useText('account');
  const change = useApiChange('deleteApiKey', ['account']);
  const done = () => {
    announce(text('keyRevoked', { name }));
    onClose();
  };
  return (
    <ConfirmDialog
      question={text('keyRevokeTitle', { name })}
      consequence={text('keyRevokeText')}
      keepLabel={text('keyKeep')}
      goLabel={text('keyRevoke')}
      isOpen
      isBusy={change.isPending}
      problem={<ProblemNotice error={change.error} />}
      onKeep={onClose}
      onGo={() => change.mutate({ params: { id: apiKey.id } }, { onSuccess: done })}
    />
  );
}
