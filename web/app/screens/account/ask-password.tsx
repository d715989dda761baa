// Prevents another person at an unlocked screen from taking the action.
import { type ReactNode, useState } from 'react';
import { useText } from '../../texts.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { PasswordField } from '../../ui/field.tsx';
import { problemAt } from '../../ui/states.tsx';

interface Props {
  title: string;
  goLabel: string;
  keepLabel?: string;
  isDanger?: boolean;
  change: { isPending: boolean; error: Error | null };
  onGo: (password: string) => void;
  onClose: () => void;
  children?: ReactNode;
}

export function AskPassword({ change, onGo, children, ...dialog }: Props) {
  const text = useText('account');
  const [password, setPassword] = useState('');
  return (
    <AskDialog {...dialog} change={change} fields={['password']} onGo={() => onGo(password)}>
      {children}
      <PasswordField
        label={text('password')}
        help={text('passwordAgainHelp')}
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        problem={problemAt(change.error, 'password')}
        isFocusedFirst
      />
    </AskDialog>
  );
}
