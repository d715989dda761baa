import { addDays } from '../../../dates.ts';
import { useFormats } from '../../../formats.ts';
import type { List } from '../../../list.ts';
import { useMe } from '../../../me.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { DateField } from '../../../ui/date-field.tsx';
import type { Filter } from '../../../ui/filter.ts';
import { Stack } from '../../../ui/layout.tsx';

const states: [value: string, label: TextKey<'sent'>][] = [
  ['in_review', 'stateInReview'],
  ['on_its_way', 'stateSent'],
  ['partly', 'filterStatePartly'],
  ['all', 'stateAll'],
  ['problem', 'stateProblem'],
  ['ending', 'filterStateEnding'],
  ['expired', 'stateExpired'],
  ['refused', 'stateRefused'],
  ['stopped', 'stateStopped'],
];

const spanDays: [days: number, label: TextKey<'sent'>][] = [
  [7, 'filterSentWeek'],
  [30, 'filterSentMonth'],
  [365, 'filterSentYear'],
];

export function useSentFilters(list: List): Filter[] {
  const text = useText('sent');
  const { today } = useMe();
  const { date } = useFormats();
  const { from, to } = list.filters;
  const days = [from, to].map((day) => (day === undefined ? '' : date(day)));
  return [
    { name: 'q', label: text('filterWords'), isMain: true },
    { name: 'person', label: text('filterPerson'), hint: text('filterPersonHint') },
    {
      name: 'state',
      label: text('filterState'),
      choices: states.map(([value, label]) => ({ value, label: text(label) })),
    },
    {
      name: 'from',
      label: text('filterSent'),
      also: ['to'],
      // With an end the chip shows both days.
      choices:
        to === undefined ? spanDays.map(([n, label]) => ({ value: addDays(today, -n), label: text(label) })) : [],
      valueLabel: days.join(' – '),
      more: <Days list={list} />,
    },
  ];
}

function Days({ list }: { list: List }) {
  const text = useText('sent');
  const { today } = useMe();
  const { from, to } = list.filters;
  const field = { today, help: '', quickDays: [] };
  return (
    <Stack gap={8}>
      <DateField
        {...field}
        label={text('filterFrom')}
        value={from ?? null}
        onChange={(date) => list.filter({ from: date ?? undefined })}
        min="2000-01-01"
        max={to ?? today}
      />
      <DateField
        {...field}
        label={text('filterTo')}
        value={to ?? null}
        onChange={(date) => list.filter({ to: date ?? undefined })}
        min={from ?? '2000-01-01'}
        max={today}
      />
    </Stack>
  );
}
