// Arrow keys select, Enter accepts, Escape closes.
import { type KeyboardEvent, useEffect, useState } from 'react';
import { visibleText } from '../../visible.ts';
import type { Recipient } from './recipients.ts';
import classes from './recipients-input.module.css';

export interface OpenSuggestions {
  items: readonly Recipient[];
  chosen: number;
  take(item: Recipient): void;
  close(): void;
  /** True when the list handled the key. */
  handleKey(event: KeyboardEvent): boolean;
  wiring(listId: string): Record<string, string | boolean | undefined>;
}

export function useSuggestions(items: readonly Recipient[], take: (item: Recipient) => void): OpenSuggestions {
  const [chosen, setChosen] = useState(-1);
  const [isClosed, setClosed] = useState(false);
  const key = items.map(({ address }) => address).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: other suggestions start from the beginning
  useEffect(() => {
    setChosen(-1);
    setClosed(false);
  }, [key]);
  const shown = isClosed ? [] : items;
  return {
    items: shown,
    chosen,
    take,
    close: () => setClosed(true),
    handleKey(event) {
      if (shown.length === 0) return false;
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        const step = event.key === 'ArrowDown' ? 1 : -1;
        setChosen((now) => (now + step + shown.length + (now === -1 && step === -1 ? 1 : 0)) % shown.length);
      } else if (event.key === 'Escape') setClosed(true);
      else if (event.key === 'Enter' && shown[chosen]) take(shown[chosen]);
      else return false;
      event.preventDefault();
      return true;
    },
    wiring: (listId) => ({
      role: 'combobox',
      'aria-expanded': shown.length > 0,
      'aria-controls': shown.length > 0 ? listId : undefined,
      'aria-autocomplete': 'list',
      // While a new list loads, the selected option does not exist.
      'aria-activedescendant': shown[chosen] === undefined ? undefined : `${listId}-${chosen}`,
    }),
  };
}

export function SuggestionList({ id, label, open }: { id: string; label: string; open: OpenSuggestions }) {
  if (open.items.length === 0) return null;
  return (
    <div id={id} role="listbox" aria-label={label} className={classes.suggestions}>
      {open.items.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are read by the field, which keeps the focus
        // biome-ignore lint/a11y/useFocusableInteractive: as above
        <div
          key={item.address}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === open.chosen}
          className={classes.suggestion}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => open.take(item)}
        >
          {item.name === '' ? null : <span>{visibleText(item.name)}</span>}
          <span className={classes.address}>{visibleText(item.address)}</span>
        </div>
      ))}
    </div>
  );
}
