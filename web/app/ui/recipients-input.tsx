// Addresses as chips: Enter, comma, semicolon, a space after a finished address and pasting of any list make them; arrow
// keys move between them, Backspace selects and then deletes. Suggestions come from the screen.

import { X } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
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
  /** Why an address is refused (a rule of the group); null when it is not. Slips are found here. */
  refusalOf?: (address: string) => string | null;
  /** People written to before that fit what is typed. */
  suggestions?: readonly Recipient[];
  onType?: (typed: string) => void;
  isDisabled?: boolean;
  /** At the end of the box, such as a button for more fields. */
  action?: ReactNode;
}

export function RecipientsInput(props: Props) {
  const { value, onChange, refusalOf, suggestions = [], onType, isDisabled, problem, action, ...field } = props;
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
  const focusChip = (index: number) => chips.current?.querySelectorAll<HTMLElement>('button')[index]?.focus();
  const open = useSuggestions(typed === '' ? [] : suggestions, (chosen) => add([chosen]));

  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (open.press(event)) return;
    const isEnd = event.key === 'Enter' || event.key === ',' || event.key === ';' || event.key === 'Tab';
    if (isEnd && typed.trim() !== '') {
      if (event.key !== 'Tab') event.preventDefault();
      add(readRecipients(typed));
    } else if (event.key === 'Enter') event.preventDefault();
    else if (event.key === ' ' && isFinishedAddress(typed.trim())) {
      event.preventDefault();
      add(readRecipients(typed));
    } else if ((event.key === 'Backspace' || event.key === 'ArrowLeft') && input.current?.selectionEnd === 0) {
      event.preventDefault();
      focusChip(value.length - 1);
    }
  };
  const pressOnChip = (event: KeyboardEvent, index: number) => {
    if (event.key === 'ArrowLeft') focusChip(Math.max(0, index - 1));
    else if (event.key === 'ArrowRight' && index < value.length - 1) focusChip(index + 1);
    else if (event.key === 'ArrowRight') input.current?.focus();
    else if (event.key === 'Backspace' || event.key === 'Delete') remove(index);
    else return;
    event.preventDefault();
  };
  const paste = (event: ClipboardEvent) => {
    const pasted = readRecipients(event.clipboardData.getData('text'));
    if (pasted.length === 0) return;
    event.preventDefault();
    add(pasted);
  };

  const faults = value.flatMap(({ address }) => faultOf(address) ?? []);
  return (
    <Field {...field} problem={problem ?? (faults.length === 0 ? null : faults.join(' '))}>
      {(wiring) => (
        <div className={classes.box} data-invalid={wiring['aria-invalid'] === true}>
          <ul ref={chips} className={classes.chips}>
            {value.map(({ address, name }, index) => (
              <li key={address} className={classes.chip} data-refused={faultOf(address) !== null} title={address}>
                <span className={classes.name}>{visibleText(name === '' ? address : name)}</span>
                <button
                  type="button"
                  className={classes.remove}
                  aria-label={text('removeRecipient', { address })}
                  disabled={isDisabled}
                  onClick={() => remove(index)}
                  onKeyDown={(event) => pressOnChip(event, index)}
                >
                  <Icon of={X} sizePx={14} />
                </button>
              </li>
            ))}
          </ul>
          <input
            {...wiring}
            ref={input}
            className={classes.input}
            value={typed}
            disabled={isDisabled}
            placeholder={text(value.length === 0 ? 'addRecipient' : 'addAnother')}
            onChange={(event) => type(event.currentTarget.value)}
            onKeyDown={press}
            onPaste={paste}
            onBlur={() => {
              open.close();
              if (typed.trim() !== '') add(readRecipients(typed));
            }}
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
