// Also extends an expired message while its files are stored.
import { useState } from 'react';
import { useApiChange } from '../../../api.ts';
import { addDays, earlierOf, laterOf } from '../../../dates.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { DateField } from '../../../ui/date-field.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import type { SentDialogProps } from './dialog-props.ts';
import { useSentFormats } from './sent-formats.ts';

export const usualDays = 14;

export function ExtendDialog({ message, onClose, onDone }: SentDialogProps) {
  const text = useText('sent');
  const formats = useSentFormats();
  const { today } = useMe();
  const extend = useApiChange('extendMessage', ['messages']);
  const latest = message.actions.extend_to ?? message.expires_at;
  const earliest = laterOf(addDays(message.expires_at, 1), today);
  const [date, setDate] = useState<string | null>(() =>
    earlierOf(addDays(laterOf(message.expires_at, today), usualDays), latest),
  );
  const go = () => {
    if (date === null) return;
    extend.mutate(
      { params: { id: message.id }, body: { expires_at: date } },
      { onSuccess: ({ message: now }) => onDone(text('extended', { date: formats.longDate(now.expires_at) })) },
    );
  };
  return (
    <ConfirmDialog
      title={text('extendTitle', { subject: formats.subject(message.subject) })}
      confirmLabel={text('extend')}
      change={extend}
      isDisabled={date === null}
      onConfirm={go}
      onClose={onClose}
    >
      <p>{text(message.is_open ? 'extendNow' : 'extendWas', { date: formats.longDate(message.expires_at) })}</p>
      <DateField
        label={text('extendUntil')}
        value={date}
        onChange={setDate}
        today={today}
        min={earliest}
        max={latest}
        quickDays={[7, 14, 30].filter((days) => addDays(today, days) >= earliest)}
      />
    </ConfirmDialog>
  );
}
