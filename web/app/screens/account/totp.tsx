// Account: the authenticator app as second step. Setting it up and switching it off ask for the password again.
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useApi, useApiChange } from '../../api.ts';
import { type TextKey, useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ProblemNotice, problemAt } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Pill, type PillTone } from '../../ui/pill.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import classes from './account.module.css';
import { AskPassword } from './ask-password.tsx';

const states: Record<'off' | 'pending' | 'on', [TextKey<'account'>, PillTone]> = {
  off: ['totpOff', 'neutral'],
  pending: ['totpPending', 'warning'],
  on: ['totpOn', 'success'],
};

export function SecondStep() {
  const text = useText('account');
  const query = useApi('getTotp', {});
  const [open, setOpen] = useState<'set-up' | 'switch-off' | null>(null);
  const close = () => setOpen(null);
  const state = query.data?.totp.state;
  const [label, tone] = states[state ?? 'off'];
  return (
    <Card title={text('secondStep')} actions={state === undefined ? undefined : <Pill tone={tone}>{text(label)}</Pill>}>
      <Loaded query={query}>
        {({ totp }) => (
          <div className={classes.form}>
            <p>{text(totp.demand === 'off' && totp.state !== 'on' ? 'totpNotOffered' : 'secondStepText')}</p>
            {totp.state === 'on' && totp.demand === 'required' ? (
              <p className={classes.muted}>{text('totpRequired')}</p>
            ) : null}
            {totp.state === 'on' ? (
              totp.demand === 'required' ? null : (
                <div className={classes.end}>
                  <Button onClick={() => setOpen('switch-off')}>{text('totpSwitchOff')}</Button>
                </div>
              )
            ) : totp.demand === 'off' ? null : (
              <div className={classes.end}>
                <Button onClick={() => setOpen('set-up')}>
                  {text(totp.state === 'pending' ? 'totpGoOn' : 'totpSetUp')}
                </Button>
              </div>
            )}
          </div>
        )}
      </Loaded>
      <Dialog title={text('totpTitle')} isOpen={open === 'set-up'} onClose={close} holdsWork>
        <SetUp onDone={close} />
      </Dialog>
      <Dialog title={text('totpOffTitle')} isOpen={open === 'switch-off'} onClose={close}>
        <SwitchOff onDone={close} />
      </Dialog>
    </Card>
  );
}

function SetUp({ onDone }: { onDone: () => void }) {
  const start = useApiChange('startTotp', ['account']);
  const offer = start.data?.totp;
  if (offer !== undefined) return <Confirm offer={offer} onDone={onDone} />;
  return (
    <AskPassword
      go="totpContinue"
      error={start.error}
      isBusy={start.isPending}
      onGo={(password) => start.mutate({ body: { password } })}
      onCancel={onDone}
    />
  );
}

function Confirm({ offer, onDone }: { offer: { secret: string; uri: string }; onDone: () => void }) {
  const text = useText('account');
  const confirm = useApiChange('confirmTotp', ['account']);
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  // The step before had the focus, and is gone.
  useEffect(() => field.current?.focus(), []);
  const go = (event: FormEvent) => {
    event.preventDefault();
    const done = () => {
      announce(text('totpSwitchedOn'));
      onDone();
    };
    confirm.mutate({ body: { code } }, { onSuccess: done });
  };
  const problem = problemAt(confirm.error, 'code');
  return (
    <form className={classes.dialog} onSubmit={go}>
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
        problem={problem}
        required
        ref={field}
      />
      {problem === null ? <ProblemNotice error={confirm.error} /> : null}
      <div className={classes.end}>
        <Button type="submit" variant="primary" isBusy={confirm.isPending}>
          {text('totpFinish')}
        </Button>
        <Button onClick={onDone}>{text('cancel')}</Button>
      </div>
    </form>
  );
}

/** Four at a time, as people read them out. Apps ignore the spaces. */
function inGroups(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret;
}

function SwitchOff({ onDone }: { onDone: () => void }) {
  const text = useText('account');
  const change = useApiChange('disableTotp', ['account']);
  const done = () => {
    announce(text('totpSwitchedOff'));
    onDone();
  };
  return (
    <div className={classes.dialog}>
      <p>{text('totpOffText')}</p>
      <AskPassword
        go="totpSwitchOff"
        cancel="totpKeep"
        isDanger
        error={change.error}
        isBusy={change.isPending}
        onGo={(password) => change.mutate({ body: { password } }, { onSuccess: done })}
        onCancel={onDone}
      />
    </div>
  );
}
