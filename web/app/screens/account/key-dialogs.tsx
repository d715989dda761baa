// A plain-text key exists only while its dialog is open.
import { useState } from 'react';
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
import { TextField } from '../../ui/field.tsx';
import { Notice, problemAt } from '../../ui/states.tsx';
import { PasswordDialog } from './password-dialog.tsx';

export type KeyAction =
  | { is: 'create' }
  | { is: 'show' | 'replace' | 'renew' | 'revoke'; apiKey: AppApiKeyBody; name: string };

/** Each dialog starts with fresh state. */
export function KeyDialog({ action, onClose }: { action: KeyAction; onClose: () => void }) {
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

/** The longest validity without a limit of the group (server/actions/api-keys/own-api-keys.ts). */
const farDays = 3650;

function Create({ onClose }: { onClose: () => void }) {
  const text = useText('account');
  const { today } = useMe();
  const lifetimeDays = useApi('getRules', {}).data?.rules.account.api_key_lifetime_days ?? null;
  const change = useApiChange('createApiKey', ['account']);
  const [name, setName] = useState('');
  const [until, setUntil] = useState<string | null>(null);
  const create = () => {
    const body = { name, ...(until === null ? {} : { expires_at: until }) };
    change.mutate({ body }, { onSuccess: () => announce(text('keyCreatedSaid')) });
  };
  const created = change.data?.api_key;
  if (created !== undefined) return <Fresh name={created.name} value={created.key} isNamed onClose={onClose} />;
  return (
    <ConfirmDialog
      title={text('newKey')}
      confirmLabel={text('keyCreate')}
      change={change}
      fields={['name', 'expires_at']}
      hasInput
      onConfirm={create}
      onClose={onClose}
    >
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
    </ConfirmDialog>
  );
}

interface FreshProps {
  name: string;
  value: string;
  /** Named keys cannot be recovered later. */
  isNamed: boolean;
  onClose: () => void;
}

function Fresh({ name, value, isNamed, onClose }: FreshProps) {
  const text = useText('account');
  const done = (
    <Button variant="primary" onClick={onClose}>
      {text('keyDone')}
    </Button>
  );
  return (
    <Dialog title={text('keyCreatedTitle', { name })} onClose={onClose} hasInput actions={done}>
      <Notice tone={isNamed ? 'warning' : 'info'}>{text(isNamed ? 'keyOnce' : 'keyAgain')}</Notice>
      <CopyField label={text('keyValue')} value={value} announcement={text('keyCopied')} isFocusedFirst />
    </Dialog>
  );
}

function Show({ apiKey, name, onClose }: ForKey) {
  const text = useText('account');
  const change = useApiChange('showApiKey', []);
  const shown = change.data?.api_key.key;
  if (shown !== undefined) return <Fresh name={name} value={shown} isNamed={false} onClose={onClose} />;
  return (
    <PasswordDialog
      title={text('keyShowTitle')}
      confirmLabel={text('keyShow')}
      change={change}
      onConfirm={(password) => change.mutate({ params: { id: apiKey.id }, body: { password } })}
      onClose={onClose}
    />
  );
}

function Replace({ apiKey, name, endsNow, onClose }: ForKey & { endsNow: boolean }) {
  const text = useText('account');
  const change = useApiChange('replaceApiKey', ['account']);
  const created = change.data?.api_key;
  if (created !== undefined)
    return <Fresh name={name} value={created.key} isNamed={created.kind === 'named'} onClose={onClose} />;
  const consequence =
    apiKey.state === 'expired' ? 'keyReplaceExpiredText' : endsNow ? 'keyRenewText' : 'keyReplaceText';
  const onSuccess = () => announce(text('keyCreatedSaid'));
  return (
    <ConfirmDialog
      isDanger={endsNow}
      title={text(endsNow ? 'keyRenewTitle' : 'keyReplaceTitle', { name })}
      cancelLabel={text('keyKeep')}
      confirmLabel={text(endsNow ? 'keyRenewGo' : 'keyReplace')}
      change={change}
      onConfirm={() => change.mutate({ params: { id: apiKey.id }, body: { ends_now: endsNow } }, { onSuccess })}
      onClose={onClose}
    >
      {text(consequence)}
    </ConfirmDialog>
  );
}

function Revoke({ apiKey, name, onClose }: ForKey) {
  const text = useText('account');
  const change = useApiChange('deleteApiKey', ['account']);
  const onSuccess = () => {
    announce(text('keyRevoked', { name }));
    onClose();
  };
  return (
    <ConfirmDialog
      isDanger
      title={text('keyRevokeTitle', { name })}
      cancelLabel={text('keyKeep')}
      confirmLabel={text('keyRevoke')}
      change={change}
      onConfirm={() => change.mutate({ params: { id: apiKey.id } }, { onSuccess })}
      onClose={onClose}
    >
      {text('keyRevokeText')}
    </ConfirmDialog>
  );
}
