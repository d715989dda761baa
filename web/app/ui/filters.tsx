// Each filter is a URL parameter, see list.ts.

import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { List } from '../list.ts';
import { useText } from '../texts.ts';
import { Button } from './button.tsx';
import { type Choice, Select } from './choice.tsx';
import { TextField } from './field.tsx';

interface Props {
  list: List;
  /** Names the URL parameter and the parameter of the call. */
  name: string;
  label: string;
}

const pauseMs = 250;

/** Applied when typing pauses. */
export function FilterText({ list, name, label, hint }: Props & { hint?: string }) {
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
    <TextField
      label={label}
      type="search"
      autoComplete="off"
      maxLength={320}
      placeholder={hint}
      value={typed}
      onChange={setTyped}
      onKeyDown={(event) => {
        if (event.key === 'Enter') ask();
      }}
    />
  );
}

/** No filter; not a value of any list. */
const all = '*';

interface ChoiceProps extends Props {
  allLabel: string;
  choices: readonly Choice<string>[];
}

export function FilterChoice({ list, name, label, allLabel, choices }: ChoiceProps) {
  return (
    <Select
      label={label}
      value={list.filters[name] ?? all}
      onChange={(value) => list.filter({ [name]: value === all ? undefined : value })}
      isSearchable={choices.length > 10}
      choices={[{ value: all, label: allLabel }, ...choices]}
    />
  );
}

/** A filter without a control, with a button that removes it. */
export function FilterChip({ list, name, label }: Props) {
  const text = useText('ui');
  return (
    <Button
      size="small"
      icon={X}
      aria-label={text('removeFilter', { name: label })}
      onClick={() => list.filter({ [name]: undefined })}
    >
      {label}
    </Button>
  );
}

export function ClearFilters({ list }: { list: List }) {
  const text = useText('ui');
  if (!list.isFiltered) return null;
  return (
    <Button variant="quiet" onClick={list.clear}>
      {text('clearFilters')}
    </Button>
  );
}
