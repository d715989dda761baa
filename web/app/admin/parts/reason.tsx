// The reason of an administrator's action, which is logged.
import { type ComponentProps, useState } from 'react';
import { useText } from '../../texts.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { problemAt } from '../../ui/states.tsx';

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
  problem?: string | null;
  isOptional?: boolean;
  /** The person concerned receives it by e-mail. */
  isNotified?: boolean;
  /** Instead of "Kept in the log." */
  help?: string | undefined;
  isFocusedFirst?: boolean;
}

export function ReasonField({ isNotified, help, ...field }: FieldProps) {
  const text = useText('admin/console');
  return (
    <TextField
      label={text('reason')}
      help={help ?? text(isNotified === true ? 'reasonTold' : 'reasonHelp')}
      maxLength={500}
      autoComplete="off"
      {...field}
    />
  );
}

type ConfirmProps = Omit<ComponentProps<typeof ConfirmDialog>, 'change' | 'fields' | 'hasInput' | 'onConfirm'> & {
  change: { isPending: boolean; error: Error | null };
  isNotified?: boolean;
  help?: string;
  /** The reason gets the focus, unless other fields come first. */
  isFirst?: boolean;
  onConfirm: (reason: string) => void;
};

export function ReasonDialog({
  change,
  onConfirm,
  isNotified,
  help,
  isFirst = true,
  children,
  ...dialog
}: ConfirmProps) {
  const [reason, setReason] = useState('');
  return (
    <ConfirmDialog {...dialog} change={change} fields={['reason']} hasInput onConfirm={() => onConfirm(reason)}>
      {children}
      <ReasonField
        value={reason}
        onChange={setReason}
        problem={problemAt(change.error, 'reason')}
        isNotified={isNotified === true}
        help={help}
        isFocusedFirst={isFirst}
      />
    </ConfirmDialog>
  );
}
