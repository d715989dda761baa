// The authenticator app. Enabling and disabling it requires the password.
import { useEffect, useRef, useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { useApi, useApiChange } from '../../api.ts';
import { type TextKey, useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Muted, Stack } from '../../ui/layout.tsx';
import { Pill, type PillTone } from '../../ui/pill.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { Loaded, problemAt } from '../../ui/states.tsx';
import classes from './account.module.css';
import { PasswordDialog } from './password-dialog.tsx';

type Totp = CallAnswer<'getTotp'>['totp'];

const states: Record<Totp['state'], [TextKey<'account'>, PillTone]> = {
  off: ['totpOff', 'neutral'],
  on: ['totpOn', 'success'],
};

type Shown = 'set-up' | 'switch-off' | 'codes';

export function SecondStep() {
  const text = useText('account');
  const query = useApi('getTotp', {});
  const [open, setOpen] = useState<Shown | null>(null);
  const close = () => setOpen(null);
  const state = query.data?.totp.state;
  const [label, tone] = states[state ?? 'off'];
  return (
    <Card title={text('secondStep')} actions={state === undefined ? undefined : <Pill tone={tone}>{text(label)}</Pill>}>
      <Loaded query={query}>{({ totp }) => <State totp={totp} onOpen={setOpen} />}</Loaded>
      {open === 'set-up' ? <SetUp onClose={close} /> : null}
      {open === 'switch-off' ? <SwitchOff onClose={close} /> : null}
      {open === 'codes' ? <NewCodes onClose={close} /> : null}
    </Card>
  );
}

function State({ totp, onOpen }: { totp: Totp; onOpen: (dialog: Shown) => void }) {
  const text = useText('account');
  const isOn = totp.state === 'on';
  const maySwitch = isOn ? totp.demand !== 'required' : totp.demand !== 'off';
  const label = isOn ? 'totpSwitchOff' : 'totpSetUp';
  return (
    <Stack>
      <p>{text(totp.demand === 'off' && !isOn ? 'totpNotOffered' : 'secondStepText')}</p>
      {isOn && totp.demand === 'required' ? <Muted>{text('totpRequired')}</Muted> : null}
      {isOn ? (
        <>
          <p>{text('recoveryLeft', { n: totp.recovery_codes })}</p>
          <div>
            <Button onClick={() => onOpen('codes')}>{text('recoveryRenew')}</Button>
          </div>
        </>
      ) : null}
      {maySwitch ? (
        <div>
          <Button onClick={() => onOpen(isOn ? 'switch-off' : 'set-up')}>{text(label)}</Button>
        </div>
      ) : null}
    </Stack>
  );
}

function SetUp({ onClose }: { onClose: () => void }) {
  const text = useText('account');
  const start = useApiChange('startTotp', ['account']);
  const offer = start.data?.totp;
  if (offer !== undefined) return <Confirm offer={offer} onClose={onClose} />;
  return (
    <PasswordDialog
      title={text('totpTitle')}
      confirmLabel={text('totpContinue')}
      change={start}
      onConfirm={(password) => start.mutate({ body: { password } })}
      onClose={onClose}
    />
  );
}

function Confirm({ offer, onClose }: { offer: { secret: string; uri: string }; onClose: () => void }) {
  const text = useText('account');
  const confirm = useApiChange('confirmTotp', ['account']);
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  // The previous step had the focus.
  useEffect(() => field.current?.focus(), []);
  if (confirm.data !== undefined) return <Codes codes={confirm.data.recovery_codes} onClose={onClose} />;
  const onSuccess = () => announce(text('totpSwitchedOn'));
  return (
    <ConfirmDialog
      title={text('totpTitle')}
      confirmLabel={text('totpFinish')}
      change={confirm}
      fields={['code']}
      hasInput
      onConfirm={() => confirm.mutate({ body: { code } }, { onSuccess })}
      onClose={onClose}
    >
      <p>{text('totpScan')}</p>
      <div className={classes.qr}>
        <QrCode address={offer.uri} label={text('totpQr')} />
      </div>
      <CopyField label={text('totpKey')} value={inGroups(offer.secret)} isLong lines={2} />
      <p>
        <a href={offer.uri}>{text('totpOpen')}</a>
      </p>
      <TextField
        label={text('totpCode')}
        help={text('totpCodeHelp')}
        value={code}
        onChange={setCode}
        inputMode="numeric"
        autoComplete="one-time-code"
        problem={problemAt(confirm.error, 'code')}
        isFocusedFirst
        ref={field}
      />
    </ConfirmDialog>
  );
}

/** Easier to type; apps ignore spaces. */
function inGroups(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret;
}

function NewCodes({ onClose }: { onClose: () => void }) {
  const text = useText('account');
  const renew = useApiChange('renewRecoveryCodes', ['account']);
  if (renew.data !== undefined) return <Codes codes={renew.data.recovery_codes} onClose={onClose} />;
  return (
    <PasswordDialog
      title={text('recoveryRenew')}
      confirmLabel={text('recoveryCreate')}
      change={renew}
      onConfirm={(password) => renew.mutate({ body: { password } })}
      onClose={onClose}
    >
      <p>{text('recoveryRenewText')}</p>
    </PasswordDialog>
  );
}

/** Shown once. */
function Codes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = useText('account');
  return (
    <Dialog
      title={text('recoveryTitle')}
      actions={<Button onClick={onClose}>{text('recoveryKept')}</Button>}
      onClose={onClose}
    >
      <p>{text('recoveryText')}</p>
      <CopyField label={text('recoveryTitle')} value={codes.join('\n')} isLong lines={10} />
    </Dialog>
  );
}

function SwitchOff({ onClose }: { onClose: () => void }) {
  const text = useText('account');
  const change = useApiChange('disableTotp', ['account']);
  const onSuccess = () => {
    announce(text('totpSwitchedOff'));
    onClose();
  };
  return (
    <PasswordDialog
      isDanger
      title={text('totpOffTitle')}
      confirmLabel={text('totpSwitchOff')}
      cancelLabel={text('totpKeep')}
      change={change}
      onConfirm={(password) => change.mutate({ body: { password } }, { onSuccess })}
      onClose={onClose}
    >
      <p>{text('totpOffText')}</p>
    </PasswordDialog>
  );
}
