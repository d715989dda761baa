// One labelled input: label, help under it, control, error under the control; all tied together for screen readers.
import type { HTMLInputAutoCompleteAttribute, ReactNode } from 'react';
import { useText } from './frame.tsx';
import { Icon } from './icon.tsx';

interface FieldProps {
  /** Name that is posted, and id the error summary leads to. */
  name: string;
  label: string;
  help?: ReactNode;
  error?: string | null;
  /** A remark under the control that is no error. */
  remark?: ReactNode;
  type?: 'text' | 'email' | 'password' | 'url';
  value?: string;
  isOptional?: boolean;
  hasFocus?: boolean;
  autoComplete?: HTMLInputAutoCompleteAttribute;
  autoCapitalize?: 'characters' | 'none' | 'words';
  /** For codes, keys and tokens: equal widths, no spelling help. */
  isCode?: boolean;
  maxLength?: number;
}

export function Field(props: FieldProps): ReactNode {
  const { name, label, help, error, remark } = props;
  const say = useText();
  const described = [help && `${name}-help`, error && `${name}-error`, remark && `${name}-remark`].filter(Boolean);
  return (
    <div className="field">
      <label htmlFor={name}>
        {label}
        {props.isOptional && <span className="muted"> {say('part.optional')}</span>}
      </label>
      {help && (
        <p id={`${name}-help`} className="help">
          {help}
        </p>
      )}
      <input
        id={name}
        name={name}
        type={props.type ?? 'text'}
        defaultValue={props.value}
        required={!props.isOptional}
        className={props.isCode ? 'code' : undefined}
        aria-describedby={described.length > 0 ? described.join(' ') : undefined}
        aria-invalid={error ? true : undefined}
        autoComplete={props.autoComplete}
        autoCapitalize={props.autoCapitalize}
        spellCheck={props.isCode || props.type === 'password' ? false : undefined}
        maxLength={props.maxLength}
        // biome-ignore lint/a11y/noAutofocus: only on pages with one field, where it is the next thing to do.
        autoFocus={props.hasFocus}
      />
      {error && (
        <p id={`${name}-error`} className="field-error">
          <Icon name="alert" />
          <span>
            <span className="visually-hidden">{say('part.errorMark')} </span>
            {error}
          </span>
        </p>
      )}
      {remark && (
        <p id={`${name}-remark`} className="field-remark">
          <Icon name="warning" />
          <span>{remark}</span>
        </p>
      )}
    </div>
  );
}

interface CheckboxProps {
  name: string;
  label: string;
  help: string;
}

export function Checkbox({ name, label, help }: CheckboxProps): ReactNode {
  return (
    <div className="checkbox">
      <input type="checkbox" id={name} name={name} value="1" aria-describedby={`${name}-help`} />
      <div>
        <label htmlFor={name}>{label}</label>
        <p id={`${name}-help`} className="help">
          {help}
        </p>
      </div>
    </div>
  );
}

/** A value that is shown but not asked, with the reason. */
export function FixedValue({ label, value, reason }: { label: string; value: ReactNode; reason: string }): ReactNode {
  return (
    <div className="field">
      <p className="label">{label}</p>
      <p>{value}</p>
      <p className="help">{reason}</p>
    </div>
  );
}
