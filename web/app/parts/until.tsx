// Until when something is available, in a list: the date, and in its last days a mark with the days that are left.
import { daysUntil } from '../dates.ts';
import { useFormats } from '../formats.ts';
import { useMe } from '../me.ts';
import { useText } from '../texts.ts';
import { Pill } from '../ui/pill.tsx';

const soonDays = 3;

interface Props {
  /** Last day, YYYY-MM-DD. */
  date: string;
  /** Nobody can open it any more: nothing is left to hurry for. */
  isOver?: boolean;
  /** No header says that this is a last day, and there is little room. */
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
