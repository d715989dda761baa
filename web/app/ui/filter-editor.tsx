// The value of one filter, in a box below its button.
import { Popover } from '@mantine/core';
import { Check } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { List } from '../list.ts';
import { useText } from '../texts.ts';
import { Button } from './button.tsx';
import { useEscape } from './escape.ts';
import { TextField } from './field.tsx';
import type { Filter } from './filter.ts';
import classes from './filters.module.css';
import { Icon } from './icon.tsx';
import { Stack } from './layout.tsx';
import menuClasses from './menu.module.css';

interface PopoverProps {
  label: string;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  target: ReactNode;
  children: ReactNode;
}

export function FilterPopover({ label, isOpen, onToggle, target, children }: PopoverProps) {
  // Also before the focus is inside.
  useEscape(isOpen, () => onToggle(false));
  return (
    <Popover
      opened={isOpen}
      onChange={onToggle}
      position="bottom-start"
      shadow="lg"
      trapFocus
      returnFocus
      // Its roles name the box after the button.
      withRoles={false}
      // Inside the main landmark, like all content.
      portalProps={{ target: '#content' }}
      classNames={{ dropdown: menuClasses.dropdown! }}
    >
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={label}>
        {children}
      </Popover.Dropdown>
    </Popover>
  );
}

interface Props {
  list: List;
  filter: Filter;
  onDone: () => void;
}

export function FilterEditor({ list, filter, onDone }: Props) {
  const { name, choices, also = [], more } = filter;
  const box = useRef<HTMLDivElement>(null);
  // The button that opened it may be gone.
  useEffect(() => box.current?.querySelector<HTMLElement>('input, button')?.focus(), []);
  const choose = (value: string) => {
    list.filter({ ...Object.fromEntries(also.map((one) => [one, undefined])), [name]: value });
    onDone();
  };
  return (
    <div ref={box}>
      {choices === undefined ? (
        <TextEditor list={list} filter={filter} onDone={onDone} />
      ) : (
        <Choices choices={choices} value={list.filters[name]} onChoose={choose} />
      )}
      {more === undefined ? null : <div className={classes.more}>{more}</div>}
    </div>
  );
}

const manyChoices = 10;

interface ChoicesProps {
  choices: NonNullable<Filter['choices']>;
  value: string | undefined;
  onChoose: (value: string) => void;
}

function Choices({ choices, value, onChoose }: ChoicesProps) {
  const text = useText('ui');
  const [typed, setTyped] = useState('');
  const shown = choices.filter(({ label }) => label.toLocaleLowerCase().includes(typed.trim().toLocaleLowerCase()));
  return (
    <>
      {choices.length > manyChoices ? (
        <input
          type="search"
          className={classes.narrow}
          aria-label={text('findChoice')}
          placeholder={text('findChoice')}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
      <ul className={classes.options}>
        {shown.map((choice) => (
          <li key={choice.value}>
            <button
              type="button"
              className={classes.option}
              aria-pressed={choice.value === value}
              onClick={() => onChoose(choice.value)}
            >
              {choice.label}
              {choice.value === value ? <Icon of={Check} sizePx={16} /> : null}
            </button>
          </li>
        ))}
        {shown.length === 0 ? <li className={classes.none}>{text('emptySelect')}</li> : null}
      </ul>
    </>
  );
}

function TextEditor({ list, filter: { name, label, hint }, onDone }: Props) {
  const text = useText('ui');
  const [typed, setTyped] = useState(list.filters[name] ?? '');
  return (
    <form
      className={classes.more}
      onSubmit={(event) => {
        event.preventDefault();
        list.filter({ [name]: typed.trim() });
        onDone();
      }}
    >
      <Stack gap={8}>
        <TextField
          label={label}
          type="search"
          autoComplete="off"
          maxLength={320}
          placeholder={hint}
          value={typed}
          onChange={setTyped}
        />
        <Button type="submit" size="small">
          {text('apply')}
        </Button>
      </Stack>
    </form>
  );
}
