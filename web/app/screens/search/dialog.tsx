// The search of app and console. The field keeps the focus; arrow keys select, Enter opens, Escape closes.
import { ArrowLeft, Search, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { searchDialog, typeSearch } from '../../search-dialog.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { IconButton } from '../../ui/button.tsx';
import { CommandDialog } from '../../ui/command-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Muted } from '../../ui/layout.tsx';
import { Pill } from '../../ui/pill.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import classes from './dialog.module.css';
import { countOf, type SearchGroup, type SearchItem } from './items.ts';
import { type Results, useGroupChoice, useOpen, useResults } from './results.tsx';
import { markWords } from './words.ts';

interface SearchState {
  value: string;
  typed: string;
  /** A setting whose group is being chosen. */
  setting: SearchItem | null;
  results: Results;
  groups: readonly SearchGroup[];
  items: readonly SearchItem[];
  chosen: number;
  change(value: string): void;
  take(item: SearchItem): void;
  back(): void;
  onKeyDown(event: KeyboardEvent): void;
}

function useSearch(onClose: () => void): SearchState {
  const text = useText('search');
  const { typed: value } = useSyncExternalStore(searchDialog.listen, searchDialog.read);
  const [setting, setSetting] = useState<SearchItem | null>(null);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const typed = value.trim();
  const results = useResults(setting === null ? typed : '');
  const choice = useGroupChoice(setting?.group ?? null, typed);
  const chooseGroup = { title: text('chooseGroup', { setting: setting?.title ?? '' }), items: choice };
  const groups = setting === null ? results.groups : [chooseGroup];
  const items = groups.flatMap((group) => group.items);
  const chosen = Math.max(
    0,
    items.findIndex((item) => item.id === chosenId),
  );
  const open = useOpen();
  const change = (next: string) => {
    typeSearch(next);
    setChosenId(null);
  };
  const choose = (next: SearchItem | null) => {
    setSetting(next);
    change('');
  };
  const take = (item: SearchItem) => (open(item) ? onClose() : choose(item));
  const back = () => choose(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : items.length - 1;
      setChosenId(items[(chosen + step) % items.length]?.id ?? null);
    } else if (event.key === 'Enter' && items[chosen] !== undefined) take(items[chosen]);
    else if (event.key === 'Escape') (setting === null ? onClose : back)();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { value, typed, setting, results, groups, items, chosen, change, take, back, onKeyDown };
}

export function SearchDialog({ onClose }: { onClose: () => void }) {
  const text = useText('search');
  const id = useId();
  const state = useSearch(onClose);
  const { typed, setting, results, groups, items, chosen } = state;
  useAnnouncement(setting === null ? results : null, typed, items.length);
  return (
    <CommandDialog title={text('title')} onClose={onClose}>
      <div className={classes.top}>
        {setting === null ? (
          <Icon of={Search} className={classes.icon!} />
        ) : (
          <IconButton icon={ArrowLeft} label={text('backToSearch')} onClick={state.back} />
        )}
        <Field id={id} state={state} />
        <IconButton icon={X} label={text('close')} onClick={onClose} />
      </div>
      <List id={id} groups={groups} chosen={chosen} q={typed} onTake={state.take} />
      {setting === null ? <Status results={results} typed={typed} count={items.length} /> : null}
      <p className={classes.keys} aria-hidden="true">
        {text('keys')}
      </p>
    </CommandDialog>
  );
}

function Field({ id, state }: { id: string; state: SearchState }) {
  const text = useText('search');
  const { value, setting, items, chosen } = state;
  const input = useRef<HTMLInputElement>(null);
  // Sooner than the focus trap of the dialog, which waits.
  useLayoutEffect(() => input.current?.focus(), []);
  return (
    <input
      ref={input}
      className={classes.input}
      role="combobox"
      type="text"
      aria-label={setting === null ? text('title') : text('chooseGroup', { setting: setting.title })}
      aria-expanded={items.length > 0}
      aria-controls={`${id}-list`}
      aria-autocomplete="list"
      aria-activedescendant={items.length === 0 ? undefined : `${id}-${chosen}`}
      placeholder={setting === null ? text('placeholder') : text('placeholderGroup')}
      autoComplete="off"
      maxLength={200}
      data-autofocus="true"
      value={value}
      onChange={(event) => state.change(event.currentTarget.value)}
      onKeyDown={state.onKeyDown}
    />
  );
}

/** Says how many results there are, once for each answer. */
function useAnnouncement(results: Results | null, typed: string, count: number): void {
  const text = useText('search');
  const isSettled = results !== null && typed !== '' && !results.isPending && results.error === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: said once for each answer
  useEffect(() => {
    if (isSettled) announce(text('said', { n: count }));
  }, [typed, isSettled, count]);
}

function Status({ results, typed, count }: { results: Results; typed: string; count: number }) {
  const text = useText('search');
  const shown = () => {
    if (results.error !== null)
      return <ErrorState error={results.error} title={text('failed')} onRetry={results.retry} />;
    if (results.isPending) return <Muted>{text('searching')}</Muted>;
    if (typed !== '' && count === 0)
      return <EmptyState title={text('none', { q: typed })}>{text('noneHelp')}</EmptyState>;
    return results.isCut ? <Muted>{text('cut')}</Muted> : null;
  };
  const status = shown();
  return status === null ? null : <div className={classes.status}>{status}</div>;
}

interface ListProps {
  id: string;
  groups: readonly SearchGroup[];
  chosen: number;
  q: string;
  onTake: (item: SearchItem) => void;
}

function List({ id, groups, chosen, q, onTake }: ListProps) {
  const text = useText('search');
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls for each selection
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, q]);
  let index = -1;
  return (
    <div
      id={`${id}-list`}
      ref={list}
      role="listbox"
      className={classes.results}
      aria-label={text('results')}
      hidden={countOf(groups) === 0}
    >
      {groups.map(({ title, items }, at) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset may not be inside a listbox
        <div key={title} role="group" aria-labelledby={`${id}-group-${at}`} className={classes.group}>
          <div id={`${id}-group-${at}`} role="presentation" className={classes.title}>
            {title}
          </div>
          {items.map((item) => {
            index += 1;
            return (
              <Option
                key={item.id}
                id={`${id}-${index}`}
                item={item}
                isChosen={index === chosen}
                q={q}
                onTake={onTake}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

interface OptionProps extends Pick<ListProps, 'id' | 'q' | 'onTake'> {
  item: SearchItem;
  isChosen: boolean;
}

function Option({ id, item, isChosen, q, onTake }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are read by the field, which keeps the focus
    // biome-ignore lint/a11y/useFocusableInteractive: as above
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      className={classes.option}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onTake(item)}
    >
      <Icon of={item.icon} sizePx={18} className={classes.icon!} />
      <span className={classes.text}>
        <strong>
          <Marked text={item.title} q={q} />
        </strong>
        {item.detail === '' ? null : (
          <Muted as="span">
            <Marked text={item.detail} q={q} />
          </Muted>
        )}
      </span>
      {item.state === null ? null : <Pill tone={item.state.tone}>{item.state.label}</Pill>}
    </div>
  );
}

function Marked({ text, q }: { text: string; q: string }) {
  return markWords(text, q).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity
    part.isMatch ? <mark key={index}>{part.text}</mark> : part.text,
  );
}
