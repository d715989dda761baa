// A typing error in an address: the right one takes its place and gets the mail.
import { type FormEvent, useId, useState } from 'react';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ProblemNotice } from '../../../ui/error-state.tsx';
import { TextField } from '../../../ui/field.tsx';
import type { SentDialogProps } from './dialogs.tsx';

export function CorrectDialog({ message, address, onClose, tell }: SentDialogProps & { address: string }) {
  const text = useText('sent');
  const form = useId();
  const correct = useApiChange('correctRecipient', ['messages']);
  const [typed, setTyped] = useState(address);
  const [problem, setProblem] = useState<string | null>(null);
  const go = (event: FormEvent) => {
    event.preventDefault();
    if (correct.isPending) return;
    const right = typed.trim();
    if (right.toLowerCase() === address) return setProblem(text('correctSame'));
    setProblem(null);
    correct.mutate(
      { params: { id: message.id, address }, body: { address: right } },
      {
        onSuccess: () => {
          onClose();
          tell(text('corrected', { address: visibleText(right) }));
        },
      },
    );
  };
  return (
    <Dialog
      title={text('correctTitle', { address: visibleText(address) })}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button variant="primary" type="submit" form={form} isBusy={correct.isPending}>
            {text('correctGo')}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {text('cancel')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={go} noValidate>
        <TextField
          label={text('correctField')}
          help={text('correctHelp')}
          problem={problem}
          type="email"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={setTyped}
          isFocusedFirst
        />
      </form>
      <ProblemNotice error={correct.error} />
    </Dialog>
  );
}
