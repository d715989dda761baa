// The password again, before something that a stranger at an open screen must not do.
import { type FormEvent, useState } from 'react';
import { type TextKey, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemNotice, problemAt } from '../../ui/error-state.tsx';
import { PasswordField } from '../../ui/field.tsx';
import classes from './account.module.css';

interface Props {
  go: TextKey<'account'>;
  cancel?: TextKey<'account'>;
  isDanger?: boolean;
  error: Error | null;
  isBusy: boolean;
  onGo: (password: string) => void;
  onCancel: () => void;
}

export function AskPassword({ go, cancel = 'cancel', isDanger, error, isBusy, onGo, onCancel }: Props) {
  const text = useText('account');
  const [password, setPassword] = useState('');
  const problem = problemAt(error, 'password');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onGo(password);
  };
  return (
    <form className={classes.dialog} onSubmit={submit}>
      <PasswordField
        label={text('password')}
        help={text('passwordAgainHelp')}
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        problem={problem}
        required
        isFocusedFirst
      />
      {problem === null ? <ProblemNotice error={error} /> : null}
      <div className={classes.end}>
        {isDanger ? <Button onClick={onCancel}>{text(cancel)}</Button> : null}
        <Button type="submit" variant={isDanger ? 'danger' : 'primary'} isBusy={isBusy}>
          {text(go)}
        </Button>
        {isDanger ? null : <Button onClick={onCancel}>{text(cancel)}</Button>}
      </div>
    </form>
  );
}
