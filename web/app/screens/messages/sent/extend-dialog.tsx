// More time for a sent message, within the rules of the group; also for an expired one while its files are stored.
import { useState } from 'react';
import { useApiChange } from '../../../api.ts';
import { addDays } from '../../../dates.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { DateField } from '../../../ui/date-field.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ProblemNotice } from '../../../ui/error-state.tsx';
import type { SentDialogProps } from './dialogs.tsx';
import { useSentWords } from './words.ts';

const usualDays = 14;

export function ExtendDialog({ message, onClose, tell }: SentDialogProps) {
  const text = useText('sent');
  const words = useSentWords();
  const { today } = useMe();
  const extend = useApiChange('extendMessage', ['messages']);
  const latest = message.actions.extend_to ?? message.expires_at;
  const earliest = later(addDays(message.expires_at, 1), today);
  const [date, setDate] = useState<string | null>(() =>
    earlier(addDays(later(message.expires_at, today), usualDays), latest),
  );
  const go = () => {
    if (date === null) return;
    extend.mutate(
      { params: { id: message.id }, body: { expires_at: date } },
      {
        onSuccess: ({ message: now }) => {
          onClose();
          tell(text('extended', { date: words.day(now.expires_at) }));
        },
      },
    );
  };
  return (
    <Dialog
      title={text('extendTitle', { subject: words.subject(message.subject) })}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button variant="primary" isBusy={extend.isPending} isDisabled={date === null} onClick={go}>
            {text('extend')}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {text('cancel')}
          </Button>
        </>
      }
    >
      <p>{text(message.is_open ? 'extendNow' : 'extendWas', { date: words.day(message.expires_at) })}</p>
      <DateField
        label={text('extendUntil')}
        value={date}
        onChange={setDate}
        today={today}
        min={earliest}
        max={latest}
        quickDays={[7, 14, 30].filter((days) => addDays(today, days) >= earliest)}
      />
      <ProblemNotice error={extend.error} />
    </Dialog>
  );
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

function earlier(a: string, b: string): string {
  return a < b ? a : b;
}
