// A day: typed in the language's own form, or chosen from a calendar or a quick pick. The value is YYYY-MM-DD; the latest
// day is told before anyone has to guess it.
import { Field, type FieldProps } from './field.tsx';
import 'dayjs/locale/de.js';
import 'dayjs/locale/en-gb.js';
import 'dayjs/locale/es.js';
import 'dayjs/locale/fr.js';
import 'dayjs/locale/sv.js';
import { Popover } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import { CalendarDays } from 'lucide-react';
import { useState } from 'react';
import { longDate } from '../../formats.ts';
import { addDays, dateText, readDate } from '../dates.ts';
import { useLocale, useText } from '../texts.ts';
import { Button, IconButton } from './button.tsx';
import classes from './date-field.module.css';
import fieldClasses from './field.module.css';

interface Props extends FieldProps {
  /** YYYY-MM-DD; null: none. */
  value: string | null;
  onChange: (date: string | null) => void;
  /** The service's date of now: `me.today`. */
  today: string;
  /** The earliest day; today unless said. */
  min?: string;
  /** The latest; null: no limit. */
  max: string | null;
  /** Days from today for the quick picks; none for an empty list. */
  quickDays?: readonly number[];
}

export function DateField({ value, onChange, today, min = today, max, quickDays = [7, 14, 30], ...field }: Props) {
  const text = useText('ui');
  const locale = useLocale();
  const [typed, setTyped] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const shown = typed ?? (value === null ? '' : dateText(locale, value));
  const choose = (date: string | null) => {
    setTyped(null);
    onChange(date);
  };
  const leave = () => {
    if (typed === null) return;
    if (typed.trim() === '') return choose(null);
    const read = readDate(locale, typed);
    if (read !== null && read >= min && (max === null || read <= max)) choose(read);
  };
  const problem = typed === null ? field.problem : (problemOf() ?? field.problem);
  function problemOf(): string | null {
    const read = typed === null || typed.trim() === '' ? null : readDate(locale, typed);
    if (typed === null || typed.trim() === '' || typed === shownBefore()) return null;
    if (read === null) return text('dateBad', { example: dateText(locale, max ?? addDays(today, 14)) });
    if (read < min) return min === today ? text('datePast') : text('dateTooEarly', { date: longDate(locale, min) });
    return max !== null && read > max ? text('dateTooLate', { date: longDate(locale, max) }) : null;
  }
  function shownBefore(): string {
    return value === null ? '' : dateText(locale, value);
  }
  const picks = quickDays.filter((days) => max === null || addDays(today, days) <= max);
  return (
    <Field
      {...field}
      help={field.help ?? (max === null ? undefined : text('dateHelp', { date: longDate(locale, max) }))}
      problem={problem}
    >
      {(wiring) => (
        <>
          <div className={classes.line}>
            <input
              {...wiring}
              className={fieldClasses.control}
              value={shown}
              onChange={(event) => setTyped(event.currentTarget.value)}
              onBlur={leave}
              onKeyDown={(event) => {
                if (event.key === 'Enter') leave();
              }}
              autoComplete="off"
            />
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
                    if (date !== null) choose(date);
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
          </div>
          {picks.length === 0 && max === null ? null : (
            <div className={classes.picks}>
              {picks.map((days) => (
                <Button key={days} size="small" variant="quiet" onClick={() => choose(addDays(today, days))}>
                  {text('inDays', { n: days })}
                </Button>
              ))}
              {max === null ? null : (
                <Button size="small" variant="quiet" onClick={() => choose(max)}>
                  {text('dateMax')}
                </Button>
              )}
            </div>
          )}
        </>
      )}
    </Field>
  );
}
