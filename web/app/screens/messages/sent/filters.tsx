// The filters of the list of sent messages: words, person, state, dates. All of them live in the address.
import { useEffect, useState } from 'react';
import { addDays } from '../../../dates.ts';
import type { List } from '../../../list.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Select } from '../../../ui/choice.tsx';
import { DateField } from '../../../ui/date-field.tsx';
import { TextField } from '../../../ui/field.tsx';
import classes from './filters.module.css';

const states = ['any', 'on_its_way', 'partly', 'all', 'problem', 'ending', 'expired', 'stopped'] as const;
const stateLabels = {
  any: 'filterStateAny',
  on_its_way: 'stateOnItsWay',
  partly: 'filterStatePartly',
  all: 'stateAll',
  problem: 'stateProblem',
  ending: 'filterStateEnding',
  expired: 'stateExpired',
  stopped: 'stateStopped',
} as const;

const spans = { any: 0, week: 7, month: 30, year: 365, between: 0 } as const;
type Span = keyof typeof spans;

export function SentFilters({ list }: { list: List }) {
  const text = useText('sent');
  const ui = useText('ui');
  const { today } = useMe();
  const { filters } = list;
  const state = states.find((word) => word === filters.state) ?? 'any';
  const spanLabels: Record<Span, string> = {
    any: text('filterSentAny'),
    week: text('filterSentWeek'),
    month: text('filterSentMonth'),
    year: text('filterSentYear'),
    between: text('filterSentBetween'),
  };
  const [isBetween, setBetween] = useState(false);
  const span = isBetween ? 'between' : spanOf(filters, today);
  const chooseSpan = (next: Span) => {
    setBetween(next === 'between');
    if (next === 'between') return;
    list.filter({ from: next === 'any' ? undefined : addDays(today, -spans[next]), to: undefined });
  };
  return (
    <search className={classes.filters} aria-label={text('filters')}>
      <TypedFilter name="q" label={text('filterWords')} list={list} />
      <TypedFilter name="person" label={text('filterPerson')} hint={text('filterPersonHint')} list={list} />
      <Select
        label={text('filterState')}
        choices={states.map((value) => ({ value, label: text(stateLabels[value]) }))}
        value={state}
        onChange={(value) => list.filter({ state: value === 'any' ? undefined : value })}
      />
      <Select
        label={text('filterSent')}
        choices={(Object.keys(spans) as Span[]).map((value) => ({ value, label: spanLabels[value] }))}
        value={span}
        onChange={chooseSpan}
      />
      {span === 'between' ? (
        <>
          <DateField
            label={text('filterFrom')}
            value={filters.from ?? null}
            onChange={(from) => list.filter({ from: from ?? undefined })}
            today={today}
            min="2000-01-01"
            max={filters.to ?? today}
            help=""
            quickDays={[]}
          />
          <DateField
            label={text('filterTo')}
            value={filters.to ?? null}
            onChange={(to) => list.filter({ to: to ?? undefined })}
            today={today}
            min={filters.from ?? '2000-01-01'}
            max={today}
            help=""
            quickDays={[]}
          />
        </>
      ) : null}
      {list.isFiltered ? (
        <div className={classes.clear}>
          <Button
            variant="quiet"
            onClick={() => {
              setBetween(false);
              list.clear();
            }}
          >
            {ui('clearFilters')}
          </Button>
        </div>
      ) : null}
    </search>
  );
}

function spanOf(filters: Record<string, string>, today: string): Span {
  if (filters.from === undefined && filters.to === undefined) return 'any';
  const known = (['week', 'month', 'year'] as const).find((span) => filters.from === addDays(today, -spans[span]));
  return known !== undefined && filters.to === undefined ? known : 'between';
}

const pauseMs = 300;

/** Asked for when people stop typing, or press Enter. */
function TypedFilter({ name, label, hint, list }: { name: string; label: string; hint?: string; list: List }) {
  const now = list.filters[name] ?? '';
  const [typed, setTyped] = useState(now);
  const { filter } = list;
  // Cleared, or changed by Back.
  useEffect(() => setTyped((shown) => (shown.trim() === now ? shown : now)), [now]);
  useEffect(() => {
    if (typed.trim() === now) return;
    const timer = setTimeout(() => filter({ [name]: typed.trim() }), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, now, name, filter]);
  return (
    <TextField
      label={label}
      type="search"
      autoComplete="off"
      value={typed}
      onChange={setTyped}
      {...(hint === undefined ? {} : { placeholder: hint })}
      onKeyDown={(event) => {
        if (event.key === 'Enter') filter({ [name]: typed.trim() });
      }}
    />
  );
}
