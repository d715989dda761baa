// The end date, with the days left when it is near.
import { daysUntil } from '../dates.ts';
import { useFormats } from '../formats.ts';
import { useMe } from '../me.ts';
import { useText } from '../texts.ts';
import { Pill } from '../ui/pill.tsx';

const soonDays = 3;

interface Props {
  /** Last day, YYYY-MM-DD. */
  date: string;
  isOver?: boolean;
  isShort?: boolean;
}

export function Until({ date, isOver, isShort }: Props) {
  const text = useText('ui');
  const formats = useFormats();
  const { today } = useMe();
  const days = daysUntil(today, date);
  if (!isOver && days >= 0 && days <= soonDays)
    return (
      <Pill tone="warning">
        <time dateTime={date}>{formats.relative(date)}</time>
      </Pill>
    );
  return (
    <time dateTime={date}>
      {isShort ? text('untilShort', { date: formats.shortDate(date) }) : formats.shortDate(date)}
    </time>
  );
}
