// A question that needs a reason, which is kept in the log and told to the person.
import { type ReactNode, useState } from 'react';
import { useText } from '../../../texts.ts';
import { AskDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { problemAt } from '../../../ui/states.tsx';

interface Props {
  title: string;
  goLabel: string;
  keepLabel?: string;
  isDanger?: boolean;
  change: { isPending: boolean; error: Error | null };
  onGo: (reason: string) => void;
  onClose: () => void;
  children?: ReactNode;
}

export function AskReason({ change, onGo, children, ...dialog }: Props) {
  const text = useText('admin/users');
  const [reason, setReason] = useState('');
  return (
    <AskDialog {...dialog} change={change} fields={['reason']} holdsWork onGo={() => onGo(reason)}>
      {children}
      <TextField
        label={text('reason')}
        help={text('reasonTold')}
        value={reason}
        onChange={setReason}
        problem={problemAt(change.error, 'reason')}
        autoComplete="off"
        isFocusedFirst
      />
    </AskDialog>
  );
}
