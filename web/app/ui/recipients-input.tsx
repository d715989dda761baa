// Arrow keys move between chips; Backspace selects, then deletes.
import { X } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, type Ref, useId, useRef, useState } from 'react';
import { visibleText } from '../../visible.ts';
import { useText } from '../texts.ts';
import { announce, warn } from './announcer.tsx';
import { Field, type FieldProps } from './field.tsx';
import { Icon } from './icon.tsx';
import { addRecipients, isAddress, isFinishedAddress, type Recipient, readRecipients } from './recipients.ts';
import classes from './recipients-input.module.css';
import { SuggestionList, useSuggestions } from './suggestions.tsx';

interface Props extends FieldProps {
  value: readonly Recipient[];
  onChange: (value: Recipient[]) => void;
  /** Returns why a rule of the group refuses an address, or null. */
  refusalOf?: (address: string) => string | null;
  suggestions?: readonly Recipient[];
  onType?: (typed: string) => void;
  action?: ReactNode;
}

export function RecipientsInput(props: Props) {
  const { value, onChange, refusalOf, suggestions = [], onType, problem, action, ...field } = props;
  const text = useText('ui');
  const [typed, setTyped] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const chips = useRef<HTMLUListElement>(null);
  const listId = useId();
  const type = (next: string) => {
    setTyped(next);
    onType?.(next);
  };
  const faultOf = (address: string) =>
    isAddress(address) ? (refusalOf?.(address) ?? null) : text('recipientBad', { address: visibleText(address) });
  const add = (more: Recipient[]) => {
    const all = addRecipients(value, more);
    onChange(all);
    type('');
    const refused = more.flatMap(({ address }) => faultOf(address) ?? []);
    if (refused.length > 0) warn(refused.join(' '));
    else if (more.length > 1) announce(text('recipientsAdded', { n: all.length }));
  };
  const remove = (index: number) => {
    onChange(value.filter((_, at) => at !== index));
    announce(text('recipientRemoved', { address: value[index]?.address ?? '' }));
    input.current?.focus();
  };
  const focusChip = (index: number) =>
    (chips.current?.querySelectorAll<HTMLElement>('button')[index] ?? input.current)?.focus();
  const open = useSuggestions(typed === '' ? [] : suggestions, (chosen) => add([chosen]));
  const keys = useTyping({ typed, type, add, onBack: () => focusChip(value.length - 1), onLeave: open.close });
  const faults = value.flatMap(({ address }) => faultOf(address) ?? []);
  return (
    <Field {...field} problem={problem ?? (faults.length === 0 ? null : faults.join(' '))}>
      {(wiring) => (
        <div className={classes.box} data-invalid={wiring['aria-invalid'] === true}>
          <Chips ref={chips} value={value} faultOf={faultOf} onRemove={remove} onFocus={focusChip} />
          <input
            {...wiring}
            ref={input}
            className={classes.input}
            value={typed}
            placeholder={text(value.length === 0 ? 'addRecipient' : 'addAnother')}
            {...keys}
            onKeyDown={(event) => open.handleKey(event) || keys.onKeyDown(event)}
            inputMode="email"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            {...open.wiring(listId)}
          />
          {action === undefined ? null : <span className={classes.action}>{action}</span>}
          <SuggestionList id={listId} label={text('suggestions')} open={open} />
        </div>
      )}
    </Field>
  );
}

interface Typing {
  typed: string;
  type: (next: string) => void;
  add: (more: Recipient[]) => void;
  /** Arrow key or Backspace before the first letter. */
  onBack: () => void;
  onLeave: () => void;
}

function useTyping({ typed, type, add, onBack, onLeave }: Typing) {
  const finish = () => {
    if (typed.trim() !== '') add(readRecipients(typed));
  };
  return {
    onChange: (event: { currentTarget: HTMLInputElement }) => type(event.currentTarget.value),
    onBlur() {
      onLeave();
      finish();
    },
    onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
      const isEnd = ['Enter', ',', ';'].includes(event.key) || (event.key === ' ' && isFinishedAddress(typed.trim()));
      const isBack = event.key === 'Backspace' || event.key === 'ArrowLeft';
      if (event.key === 'Tab') finish();
      else if (isEnd && (typed.trim() !== '' || event.key === 'Enter')) {
        event.preventDefault();
        finish();
      } else if (isBack && event.currentTarget.selectionEnd === 0) {
        event.preventDefault();
        onBack();
      }
    },
    onPaste(event: ClipboardEvent<HTMLInputElement>) {
      const { value, selectionStart, selectionEnd } = event.currentTarget;
      const before = value.slice(0, selectionStart ?? value.length);
      const behind = value.slice(selectionEnd ?? value.length);
      const people = readRecipients(before + event.clipboardData.getData('text') + behind);
      // A part of an address or name is inserted as text.
      const isWhole =
        people.length > 1 || (before + behind === '' && people.every(({ address }) => isAddress(address)));
      if (people.length === 0 || !isWhole) return;
      event.preventDefault();
      add(people);
    },
  };
}

interface ChipsProps {
  ref: Ref<HTMLUListElement>;
  value: readonly Recipient[];
  faultOf: (address: string) => string | null;
  onRemove: (index: number) => void;
  onFocus: (index: number) => void;
}

function Chips({ ref, value, faultOf, onRemove, onFocus }: ChipsProps) {
  const text = useText('ui');
  const onChipKey = (event: KeyboardEvent, index: number) => {
    if (event.key === 'ArrowLeft') onFocus(Math.max(0, index - 1));
    else if (event.key === 'ArrowRight') onFocus(index + 1);
    else if (event.key === 'Backspace' || event.key === 'Delete') onRemove(index);
    else return;
    event.preventDefault();
  };
  return (
    <ul ref={ref} className={classes.chips}>
      {value.map(({ address, name }, index) => (
        <li key={address} className={classes.chip} data-refused={faultOf(address) !== null} title={address}>
          <span className={classes.name}>{visibleText(name === '' ? address : name)}</span>
          <button
            type="button"
            className={classes.remove}
            aria-label={text('removeRecipient', { address })}
            onClick={() => onRemove(index)}
            onKeyDown={(event) => onChipKey(event, index)}
          >
            <Icon of={X} sizePx={14} />
          </button>
        </li>
      ))}
    </ul>
  );
}
