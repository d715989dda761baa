// Prevents another person at an unlocked screen from taking the action.
import { type ReactNode, useState } from 'react';
import { useText } from '../../texts.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { PasswordField } from '../../ui/field.tsx';
import { problemAt } from '../../ui/states.tsx';

interface Props {
  title: string;
  confirmLabel: string;
  cancelLabel?: string;
  isDanger?: boolean;
  change: { isPending: boolean; error: Error | null };
  onConfirm: (password: string) => void;
  onClose: () => void;
  children?: ReactNode;
}

export function PasswordDialog({ change, onConfirm, children, ...dialog }: Props) {
  const text = useText('account');
  const [password, setPassword] = useState('');
  return (
    <ConfirmDialog {...dialog} change={change} fields={['password']} onConfirm={() => onConfirm(password)}>
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
    </ConfirmDialog>
  );
}
