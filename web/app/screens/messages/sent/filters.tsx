import { addDays } from '../../../dates.ts';
import type { List } from '../../../list.ts';
import { useMe } from '../../../me.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { Select } from '../../../ui/choice.tsx';
import { DateField } from '../../../ui/date-field.tsx';
import { FilterChoice, FilterText } from '../../../ui/filters.tsx';

const states: [value: string, label: TextKey<'sent'>][] = [
  ['on_its_way', 'stateOnItsWay'],
  ['partly', 'filterStatePartly'],
  ['all', 'stateAll'],
  ['problem', 'stateProblem'],
  ['ending', 'filterStateEnding'],
  ['expired', 'stateExpired'],
  ['stopped', 'stateStopped'],
];

export function SentFilters({ list }: { list: List }) {
  const text = useText('sent');
  return (
    <>
      <FilterText list={list} name="q" label={text('filterWords')} />
      <FilterText list={list} name="person" label={text('filterPerson')} hint={text('filterPersonHint')} />
      <FilterChoice
        list={list}
        name="state"
        label={text('filterState')}
        allLabel={text('filterStateAny')}
        choices={states.map(([value, label]) => ({ value, label: text(label) }))}
      />
      <SpanFilter list={list} />
    </>
  );
}

const spans = { any: 0, week: 7, month: 30, year: 365, between: 0 } as const;
type Span = keyof typeof spans;

const spanLabels: Record<Span, TextKey<'sent'>> = {
  any: 'filterSentAny',
  week: 'filterSentWeek',
  month: 'filterSentMonth',
  year: 'filterSentYear',
  between: 'filterSentBetween',
};

function SpanFilter({ list }: { list: List }) {
  const text = useText('sent');
  const { today } = useMe();
  const { from, to } = list.filters;
  const span = spanOf(from, to, today);
  const choose = (next: Span) => {
    if (next === 'between') list.filter({ from: from ?? addDays(today, -spans.month), to: to ?? today });
    else list.filter({ from: next === 'any' ? undefined : addDays(today, -spans[next]), to: undefined });
  };
  const field = { today, help: '', quickDays: [] };
  return (
    <>
      <Select
        label={text('filterSent')}
        choices={(Object.keys(spans) as Span[]).map((value) => ({ value, label: text(spanLabels[value]) }))}
        value={span}
        onChange={choose}
      />
      {span === 'between' ? (
        <>
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
        </>
      ) : null}
    </>
  );
}

function spanOf(from: string | undefined, to: string | undefined, today: string): Span {
  if (from === undefined && to === undefined) return 'any';
  const known = (['week', 'month', 'year'] as const).find((span) => from === addDays(today, -spans[span]));
  return known !== undefined && to === undefined ? known : 'between';
}
