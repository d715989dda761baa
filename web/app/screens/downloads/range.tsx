import { addDays } from '../../dates.ts';
import { useMe } from '../../me.ts';
import { useText } from '../../texts.ts';
import { Segments } from '../../ui/choice.tsx';
import { DateField } from '../../ui/date-field.tsx';
import classes from './downloads.module.css';
import { rangeDays, type Scope } from './scope.ts';

const firstDay = '2000-01-01';

export function RangePicker({ scope }: { scope: Scope }) {
  const text = useText('downloads');
  const { today } = useMe();
  const { range } = scope;
  const choose = (value: string) => {
    const days = rangeDays.find((known) => String(known) === value);
    scope.choose(days === undefined ? { from: addDays(today, -29), to: today } : { days });
  };
  return (
    <>
      <div>
        <Segments
          label={text('range')}
          value={'days' in range ? String(range.days) : 'custom'}
          onChange={choose}
          choices={[
            ...rangeDays.map((days) => ({ value: String(days), label: text('days', { n: days }) })),
            { value: 'custom', label: text('custom') },
          ]}
        />
      </div>
      {'days' in range ? null : (
        <div className={classes.dates}>
          <DateField
            label={text('from')}
            value={range.from}
            today={today}
            min={firstDay}
            max={null}
            quickDays={[]}
            onChange={(from) => from !== null && scope.choose({ from, to: from > range.to ? from : range.to })}
          />
          <DateField
            label={text('to')}
            value={range.to}
            today={today}
            min={range.from}
            max={null}
            quickDays={[]}
            onChange={(to) => to !== null && scope.choose({ from: range.from, to })}
          />
        </div>
      )}
    </>
  );
}
