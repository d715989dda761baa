// A labelled control with help and error, connected for screen readers.
import type { HTMLInputAutoCompleteAttribute, ReactNode } from 'react';
import { useText } from './frame.tsx';
import { Icon } from './icon.tsx';

interface LabelledProps {
  /** The error summary links to it. */
  name: string;
  label: ReactNode;
  help?: ReactNode;
  error?: string | null;
  remark?: ReactNode;
  isOptional?: boolean;
}

interface FieldProps extends LabelledProps {
  type?: 'text' | 'email' | 'password' | 'url';
  value?: string;
  hasFocus?: boolean;
  autoComplete?: HTMLInputAutoCompleteAttribute;
  autoCapitalize?: 'characters' | 'none' | 'words';
  inputMode?: 'numeric';
  /** Monospace, no spell checking. */
  isCode?: boolean;
  /** Password managers read it. */
  isReadOnly?: boolean;
  maxLength?: number;
}

export function Field(props: FieldProps): ReactNode {
  const { name, error } = props;
  return (
    <Labelled {...props}>
      <input
        id={name}
        name={name}
        type={props.type ?? 'text'}
        defaultValue={props.value}
        required={!props.isOptional}
        readOnly={props.isReadOnly}
        className={props.isCode ? 'code' : undefined}
        aria-describedby={describedBy(props)}
        aria-invalid={error ? true : undefined}
        autoComplete={props.autoComplete}
        autoCapitalize={props.autoCapitalize}
        inputMode={props.inputMode}
        spellCheck={props.isCode || props.type === 'password' ? false : undefined}
        maxLength={props.maxLength}
        // biome-ignore lint/a11y/noAutofocus: only on pages with one field, where it is the next thing to do.
        autoFocus={props.hasFocus}
      />
    </Labelled>
  );
}

interface PasswordFieldProps extends LabelledProps {
  autoComplete: 'current-password' | 'new-password' | 'off';
  hasFocus?: boolean;
  /** The script rates a new password while it is typed. */
  minLength?: number;
}

/** The script adds a Show button. */
export function PasswordField(props: PasswordFieldProps): ReactNode {
  const { name, error, minLength } = props;
  const say = useText();
  const measured = minLength !== undefined;
  return (
    <Labelled {...props}>
      <div className="with-button">
        <input
          id={name}
          name={name}
          type="password"
          required
          aria-describedby={[describedBy(props), measured && `${name}-measure`].filter(Boolean).join(' ') || undefined}
          aria-invalid={error ? true : undefined}
          autoComplete={props.autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          data-min-length={minLength}
          // biome-ignore lint/a11y/noAutofocus: only on pages with one field, where it is the next thing to do.
          autoFocus={props.hasFocus}
        />
        <button
          type="button"
          className="button button-secondary"
          hidden
          aria-label={say('part.showName')}
          aria-pressed="false"
          data-shows={name}
        >
          {say('part.show')}
        </button>
      </div>
      {measured && (
        <p
          id={`${name}-measure`}
          className="help measure"
          data-short={say('part.passwordMore', { n: minLength })}
          data-enough={say('part.passwordEnough')}
          data-strong={say('part.passwordStrong')}
        />
      )}
    </Labelled>
  );
}

interface TextAreaProps extends LabelledProps {
  value: string;
  rows: number;
}

export function TextArea(props: TextAreaProps): ReactNode {
  const { name, error } = props;
  return (
    <Labelled {...props}>
      <textarea
        id={name}
        name={name}
        rows={props.rows}
        defaultValue={props.value}
        required={!props.isOptional}
        aria-describedby={describedBy(props)}
        aria-invalid={error ? true : undefined}
      />
    </Labelled>
  );
}

function describedBy({ name, help, error, remark }: LabelledProps): string | undefined {
  const ids = [help && `${name}-help`, error && `${name}-error`, remark && `${name}-remark`].filter(Boolean);
  return ids.length > 0 ? ids.join(' ') : undefined;
}

function Labelled({ name, label, help, error, remark, isOptional, children }: LabelledProps & { children: ReactNode }) {
  const say = useText();
  return (
    <div className="field">
      <label htmlFor={name}>
        {label}
        {isOptional && <span className="muted"> {say('part.optional')}</span>}
      </label>
      {help && (
        <p id={`${name}-help`} className="help">
          {help}
        </p>
      )}
      {children}
      {error && <FieldError id={`${name}-error`} sentence={error} />}
      {remark && (
        <p id={`${name}-remark`} className="field-remark">
          <Icon name="warning" />
          <span>{remark}</span>
        </p>
      )}
    </div>
  );
}

export function FieldError({ id, sentence }: { id?: string; sentence: string }): ReactNode {
  const say = useText();
  return (
    <p id={id} className="field-error">
      <Icon name="alert" />
      <span>
        <span className="visually-hidden">{say('part.errorMark')} </span>
        <span data-sentence="">{sentence}</span>
      </span>
    </p>
  );
}

interface CheckboxProps {
  name: string;
  label: string;
  help: string;
  isTicked?: boolean;
}

export function Checkbox({ name, label, help, isTicked }: CheckboxProps): ReactNode {
  return (
    <div className="checkbox">
      <input
        type="checkbox"
        id={name}
        name={name}
        value="1"
        defaultChecked={isTicked}
        aria-describedby={`${name}-help`}
      />
      <div>
        <label htmlFor={name}>{label}</label>
        <p id={`${name}-help`} className="help">
          {help}
        </p>
      </div>
    </div>
  );
}

export function FixedValue({ label, value, reason }: { label: string; value: ReactNode; reason?: string }): ReactNode {
  return (
    <div className="field">
      <p className="label">{label}</p>
      <p>{value}</p>
      {reason !== undefined && <p className="help">{reason}</p>}
    </div>
  );
}
