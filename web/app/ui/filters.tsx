// A search field, set filters as removable chips, and the others behind `Add filter`. Each filter is a URL parameter, see list.ts.
import { Plus, Search, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { List } from '../list.ts';
import { useText } from '../texts.ts';
import type { Filter } from './filter.ts';
import { FilterEditor, FilterPopover } from './filter-editor.tsx';
import classes from './filters.module.css';
import { Icon } from './icon.tsx';

interface Props {
  list: List;
  filters: readonly Filter[];
  toolbar?: ReactNode;
}

export function FilterBar({ list, filters, toolbar }: Props) {
  const text = useText('ui');
  const main = filters.find(({ isMain }) => isMain);
  const others = filters.filter((filter) => filter !== main);
  const unset = others.filter((filter) => !isSet(list, filter) && !filter.isFixed);
  return (
    <div className={classes.bar}>
      {filters.length === 0 ? null : (
        <search className={classes.filters} aria-label={text('filters')}>
          {main === undefined ? null : <SearchBox list={list} filter={main} />}
          {others
            .filter((filter) => isSet(list, filter))
            .map((filter) => (
              <Chip key={filter.name} list={list} filter={filter} />
            ))}
          {unset.length === 0 ? null : <AddFilter list={list} filters={unset} />}
          {list.isFiltered ? (
            <button type="button" className={classes.clear} onClick={list.clear}>
              {text('clearFilters')}
            </button>
          ) : null}
        </search>
      )}
      {toolbar === undefined ? null : <div className={classes.toolbar}>{toolbar}</div>}
    </div>
  );
}

function isSet(list: List, { name, also = [] }: Filter): boolean {
  return [name, ...also].some((one) => list.filters[one] !== undefined);
}

interface OneProps {
  list: List;
  filter: Filter;
}

function Chip({ list, filter }: OneProps) {
  const text = useText('ui');
  const [isOpen, setOpen] = useState(false);
  const { name, label, choices = [], also = [], valueLabel, isFixed } = filter;
  const value = list.filters[name];
  const shown = choices.find((choice) => choice.value === value)?.label ?? valueLabel ?? value ?? '';
  const content = (
    <>
      {isFixed ? null : label} <strong>{shown}</strong>
    </>
  );
  const remove = () => list.filter(Object.fromEntries([name, ...also].map((one) => [one, undefined])));
  return (
    <span className={classes.chip}>
      {isFixed ? (
        <span className={classes.chipText}>{content}</span>
      ) : (
        <FilterPopover
          label={label}
          isOpen={isOpen}
          onToggle={setOpen}
          target={
            <button
              type="button"
              className={classes.chipText}
              aria-haspopup="dialog"
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              {content}
            </button>
          }
        >
          <FilterEditor list={list} filter={filter} onDone={() => setOpen(false)} />
        </FilterPopover>
      )}
      <button
        type="button"
        className={classes.remove}
        aria-label={text('removeFilter', { name: isFixed ? shown : label })}
        onClick={remove}
      >
        <Icon of={X} sizePx={16} />
      </button>
    </span>
  );
}

function AddFilter({ list, filters }: { list: List; filters: readonly Filter[] }) {
  const text = useText('ui');
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  // With a single filter there is nothing to choose.
  const filter = filters.length === 1 ? filters[0] : filters.find(({ name }) => name === chosen);
  const toggle = (next: boolean) => {
    setChosen(null);
    setOpen(next);
  };
  return (
    <FilterPopover
      label={filter?.label ?? text('addFilter')}
      isOpen={isOpen}
      onToggle={toggle}
      target={
        <button
          type="button"
          className={classes.add}
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          onClick={() => toggle(!isOpen)}
        >
          <Icon of={Plus} sizePx={16} /> {text('addFilter')}
        </button>
      }
    >
      {filter === undefined ? (
        <ul className={classes.options}>
          {filters.map(({ name, label }) => (
            <li key={name}>
              <button type="button" className={classes.option} onClick={() => setChosen(name)}>
                {label}
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <FilterEditor key={filter.name} list={list} filter={filter} onDone={() => toggle(false)} />
      )}
    </FilterPopover>
  );
}

const pauseMs = 250;

/** Applied when typing pauses. */
function SearchBox({ list, filter: { name, label, hint } }: OneProps) {
  const applied = list.filters[name] ?? '';
  const [typed, setTyped] = useState(applied);
  // A URL change caused by typing must not overwrite newer input; Back and Clear must.
  const ownValue = useRef(applied);
  useEffect(() => {
    if (applied !== ownValue.current) setTyped(applied);
    ownValue.current = applied;
  }, [applied]);
  const ask = () => {
    if (typed.trim() === applied) return;
    ownValue.current = typed.trim();
    list.filter({ [name]: ownValue.current });
  };
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a pause after the last key
  useEffect(() => {
    const timer = setTimeout(() => latest.current(), pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <span className={classes.search}>
      <Icon of={Search} sizePx={16} />
      <input
        type="search"
        aria-label={label}
        placeholder={hint ?? label}
        autoComplete="off"
        maxLength={320}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') ask();
        }}
      />
    </span>
  );
}
