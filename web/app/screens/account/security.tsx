import { type FormEvent, useState } from 'react';
import { useApiChange } from '../../api.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { PasswordField } from '../../ui/field.tsx';
import { Muted } from '../../ui/layout.tsx';
import { Notice, ProblemNotice, problemAt } from '../../ui/states.tsx';
import classes from './account.module.css';
import { Devices } from './devices.tsx';
import { Passkeys } from './passkeys.tsx';
import { RememberedBrowsers } from './remembered-browsers.tsx';
import { SignIns } from './sign-ins.tsx';
import { SecondStep } from './totp.tsx';

export function AccountSecurity() {
  return (
    <>
      <Password />
      <Passkeys />
      <SecondStep />
      <Devices />
      <RememberedBrowsers />
      <SignIns />
    </>
  );
}

function Password() {
  const text = useText('account');
  const change = useApiChange('changePassword', ['account']);
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const save = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ body: { current, new: next } }, { onSuccess: done });
  };
  const done = () => {
    setCurrent('');
    setNext('');
    announce(text('passwordChanged'));
  };
  const isForField = ['current', 'new', 'password'].some((field) => problemAt(change.error, field) !== null);
  return (
    <Card title={text('changePassword')}>
      <form className={classes.form} onSubmit={save}>
        <Muted>{text('changePasswordHelp')}</Muted>
        <PasswordField
          label={text('currentPassword')}
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          problem={problemAt(change.error, 'current')}
          required
        />
        <PasswordField
          label={text('newPassword')}
          help={text('newPasswordHelp')}
          autoComplete="new-password"
          value={next}
          onChange={setNext}
          problem={problemAt(change.error, 'new') ?? problemAt(change.error, 'password')}
          required
        />
        {isForField ? null : <ProblemNotice error={change.error} />}
        {change.isSuccess ? <Notice tone="success">{text('passwordChanged')}</Notice> : null}
        <div>
          <Button type="submit" variant="primary" isBusy={change.isPending}>
            {text('changePasswordGo')}
          </Button>
        </div>
      </form>
    </Card>
  );
}
