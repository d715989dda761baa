// A typed or chosen day, as YYYY-MM-DD.
import 'dayjs/locale/de.js';
import 'dayjs/locale/en-gb.js';
import 'dayjs/locale/es.js';
import 'dayjs/locale/fr.js';
import 'dayjs/locale/sv.js';
import { Popover } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import { CalendarDays } from 'lucide-react';
import { useState } from 'react';
import { addDays, readDate } from '../dates.ts';
import { useFormats } from '../formats.ts';
import { useText } from '../texts.ts';
import { Button, IconButton } from './button.tsx';
import classes from './date-field.module.css';
import fieldClasses from './field.module.css';
import { Field, type FieldProps } from './field.tsx';

interface Range {
  /** `me.today`. */
  today: string;
  /** Today by default. */
  min?: string;
  /** Null for no limit. */
  max: string | null;
}

interface Props extends FieldProps, Range {
  value: string | null;
  onChange: (date: string | null) => void;
  /** Quick picks, in days from today. */
  quickDays?: readonly number[];
}

export function DateField({ value, onChange, today, min = today, max, quickDays = [7, 14, 30], ...field }: Props) {
  const text = useText('ui');
  const formats = useFormats();
  const [typed, setTyped] = useState<string | null>(null);
  const problemOf = useTypedProblem({ today, min, max });
  const choose = (date: string | null) => {
    setTyped(null);
    onChange(date);
  };
  const leave = () => {
    if (typed === null) return;
    if (typed.trim() === '') return choose(null);
    if (problemOf(typed) === null) choose(readDate(formats.locale, typed));
  };
  const set = value === null ? '' : formats.date(value);
  const isChanged = typed !== null && typed.trim() !== '' && typed !== set;
  const invalid = isChanged ? problemOf(typed) : null;
  const help = max === null ? undefined : text('dateHelp', { date: formats.longDate(max) });
  return (
    <Field {...field} help={field.help ?? help} problem={invalid ?? field.problem}>
      {(wiring) => (
        <>
          <div className={classes.line}>
            <input
              {...wiring}
              className={fieldClasses.control}
              // The typed text is invalid; the value is the last valid one.
              data-invalid-text={invalid ?? undefined}
              value={typed ?? set}
              onChange={(event) => setTyped(event.currentTarget.value)}
              onBlur={leave}
              onKeyDown={(event) => {
                if (event.key === 'Enter') leave();
              }}
              autoComplete="off"
            />
            <Calendar value={value} onChoose={choose} today={today} min={min} max={max} />
          </div>
          <QuickPicks days={quickDays} today={today} max={max} onChoose={choose} />
        </>
      )}
    </Field>
  );
}

/** Returns why a typed day is invalid, or null. */
function useTypedProblem({ today, min = today, max }: Range): (typed: string) => string | null {
  const text = useText('ui');
  const { locale, date, longDate } = useFormats();
  return (typed) => {
    const read = readDate(locale, typed);
    if (read === null) return text('dateBad', { example: date(max ?? addDays(today, 14)) });
    if (read < min) return min === today ? text('datePast') : text('dateTooEarly', { date: longDate(min) });
    return max !== null && read > max ? text('dateTooLate', { date: longDate(max) }) : null;
  };
}

interface CalendarProps extends Range {
  value: string | null;
  onChoose: (date: string) => void;
}

function Calendar({ value, onChoose, today, min = today, max }: CalendarProps) {
  const text = useText('ui');
  const { locale } = useFormats();
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      trapFocus
      returnFocus
      position="bottom-end"
      shadow="lg"
      portalProps={{ target: '#content' }}
    >
      <Popover.Target>
        <IconButton icon={CalendarDays} label={text('openCalendar')} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown className={classes.calendar!}>
        <DatePicker
          value={value}
          onChange={(date) => {
            if (date !== null) onChoose(date);
            setOpen(false);
          }}
          defaultDate={value ?? today}
          minDate={min}
          {...(max === null ? {} : { maxDate: max })}
          locale={locale === 'en' ? 'en-gb' : (locale.split('-')[0] ?? 'en-gb')}
          ariaLabels={{ previousMonth: text('previousMonth'), nextMonth: text('nextMonth') }}
          classNames={{
            day: classes.day!,
            calendarHeaderControl: classes.control!,
            calendarHeaderLevel: classes.control!,
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

interface PicksProps extends Omit<Range, 'min'> {
  days: readonly number[];
  onChoose: (date: string) => void;
}

function QuickPicks({ days, today, max, onChoose }: PicksProps) {
  const text = useText('ui');
  const possible = days.filter((count) => max === null || addDays(today, count) <= max);
  if (possible.length === 0 && max === null) return null;
  return (
    <div className={classes.picks}>
      {possible.map((count) => (
        <Button key={count} size="small" variant="quiet" onClick={() => onChoose(addDays(today, count))}>
          {text('inDays', { n: count })}
        </Button>
      ))}
      {max === null ? null : (
        <Button size="small" variant="quiet" onClick={() => onChoose(max)}>
          {text('dateMax')}
        </Button>
      )}
    </div>
  );
}
