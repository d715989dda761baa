// Passkeys of the account. Adding and removing them requires the password.
import { useState } from 'react';
import type { z } from 'zod';
import type { appPasskey } from '#contract/app/passkeys.ts';
import { type CreationOptions, canUsePasskeys, createPasskey } from '../../../passkeys.ts';
import { visibleText } from '../../../visible.ts';
import { useApi, useApiChange } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Muted, Stack } from '../../ui/layout.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Loaded, problemAt } from '../../ui/states.tsx';
import classes from './account.module.css';
import { PasswordDialog } from './password-dialog.tsx';

type Passkey = z.input<typeof appPasskey>;
type Action = { is: 'add' } | { is: 'rename' | 'remove'; passkey: Passkey };

export function Passkeys() {
  const text = useText('account');
  const query = useApi('listPasskeys', {});
  const [action, setAction] = useState<Action | null>(null);
  const close = () => setAction(null);
  const add = <Button onClick={() => setAction({ is: 'add' })}>{text('passkeyAdd')}</Button>;
  return (
    <Card title={text('passkeys')} actions={canUsePasskeys() ? add : undefined}>
      <Stack>
        <p>{text(canUsePasskeys() ? 'passkeysText' : 'passkeysUnavailable')}</p>
        <Loaded query={query}>
          {({ passkeys }) =>
            passkeys.length === 0 ? (
              <Muted>{text('passkeysNone')}</Muted>
            ) : (
              <ul>
                {passkeys.map((passkey) => (
                  <Row key={passkey.id} passkey={passkey} onAction={setAction} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Stack>
      {action?.is === 'add' ? <Add onClose={close} /> : null}
      {action?.is === 'rename' ? <Rename passkey={action.passkey} onClose={close} /> : null}
      {action?.is === 'remove' ? <Remove passkey={action.passkey} onClose={close} /> : null}
    </Card>
  );
}

function Row({ passkey, onAction }: { passkey: Passkey; onAction: (action: Action) => void }) {
  const text = useText('account');
  const ui = useText('ui');
  const { dateOf, dateTime } = useFormats();
  const name = visibleText(passkey.name);
  const used = passkey.last_used_at;
  return (
    <li className={classes.row}>
      <div className={classes.rowText}>
        <span className={classes.rowTitle}>{name}</span>
        <span className={classes.facts}>
          <span>{text('passkeyCreated', { date: dateOf(passkey.created_at) })}</span>
          <span>
            {used === null
              ? text('passkeyUnused')
              : text('passkeyUsed', { at: dateTime(used), ip: passkey.last_used_ip })}
          </span>
        </span>
      </div>
      <Menu
        label={ui('actionsFor', { name })}
        groups={[
          { items: [{ label: text('passkeyRename'), onClick: () => onAction({ is: 'rename', passkey }) }] },
          {
            items: [
              { label: text('passkeyRemove'), isDanger: true, onClick: () => onAction({ is: 'remove', passkey }) },
            ],
          },
        ]}
      />
    </li>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const text = useText('account');
  const start = useApiChange('startPasskey', []);
  const add = useApiChange('addPasskey', ['account']);
  const [name, setName] = useState('');
  const [hasFailed, setFailed] = useState(false);
  const options = start.data?.options;
  if (options === undefined)
    return (
      <PasswordDialog
        title={text('passkeyAdd')}
        confirmLabel={text('totpContinue')}
        change={start}
        onConfirm={(password) => start.mutate({ body: { password } })}
        onClose={onClose}
      />
    );
  const create = async () => {
    setFailed(false);
    try {
      const credential = await createPasskey(options as unknown as CreationOptions);
      add.mutate({ body: { name, credential } }, { onSuccess: done });
    } catch {
      setFailed(true);
    }
  };
  const done = () => {
    announce(text('passkeyAdded'));
    onClose();
  };
  return (
    <ConfirmDialog
      title={text('passkeyAdd')}
      confirmLabel={text('passkeyCreate')}
      change={add}
      fields={['name']}
      hasInput
      onConfirm={() => void create()}
      onClose={onClose}
    >
      <TextField
        label={text('passkeyName')}
        help={text('passkeyNameHelp')}
        value={name}
        onChange={setName}
        problem={problemAt(add.error, 'name')}
        isFocusedFirst
      />
      {hasFailed ? <p role="alert">{text('passkeyFailed')}</p> : null}
    </ConfirmDialog>
  );
}

function Rename({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const text = useText('account');
  const change = useApiChange('renamePasskey', ['account']);
  const [name, setName] = useState(passkey.name);
  return (
    <ConfirmDialog
      title={text('passkeyRename')}
      confirmLabel={text('passkeyRename')}
      change={change}
      fields={['name']}
      hasInput
      onConfirm={() => change.mutate({ params: { id: passkey.id }, body: { name } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextField
        label={text('passkeyName')}
        value={name}
        onChange={setName}
        problem={problemAt(change.error, 'name')}
        isFocusedFirst
      />
    </ConfirmDialog>
  );
}

function Remove({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const text = useText('account');
  const change = useApiChange('removePasskey', ['account']);
  const onSuccess = () => {
    announce(text('passkeyRemoved'));
    onClose();
  };
  return (
    <PasswordDialog
      isDanger
      title={text('passkeyRemoveTitle', { name: visibleText(passkey.name) })}
      confirmLabel={text('passkeyRemove')}
      change={change}
      onConfirm={(password) => change.mutate({ params: { id: passkey.id }, body: { password } }, { onSuccess })}
      onClose={onClose}
    >
      <p>{text('passkeyRemoveText')}</p>
    </PasswordDialog>
  );
}
