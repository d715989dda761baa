// A labelled control with help and error, connected by `aria-describedby`.
import { NumberInput } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from 'react';
import { useText } from '../texts.ts';
import { Button } from './button.tsx';
import classes from './field.module.css';
import { Icon } from './icon.tsx';

export interface FieldProps {
  label: string;
  isLabelHidden?: boolean | undefined;
  help?: ReactNode;
  /** Null if valid. */
  problem?: string | null | undefined;
  isOptional?: boolean | undefined;
  /** An ErrorSummary links to it. */
  id?: string | undefined;
}

interface Wiring {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

/** `<Field label="Until">{(wiring) => <MyControl {...wiring} />}</Field>` */
export function Field({
  label,
  isLabelHidden,
  help,
  problem,
  isOptional,
  id,
  children,
}: FieldProps & { children: (wiring: Wiring) => ReactNode }) {
  const text = useText('ui');
  const own = useId();
  const control = id ?? own;
  const hasProblem = problem !== undefined && problem !== null && problem !== '';
  const described = [help === undefined ? '' : `${control}-help`, hasProblem ? `${control}-problem` : ''];
  return (
    <div className={classes.field}>
      <label id={`${control}-label`} htmlFor={control} className={isLabelHidden ? 'visually-hidden' : classes.label}>
        {label} {isOptional ? <span className={classes.optional}>{text('optional')}</span> : null}
      </label>
      {help === undefined ? null : (
        <div id={`${control}-help`} className={classes.help}>
          {help}
        </div>
      )}
      {children({
        id: control,
        'aria-describedby': described.join(' ').trim() || undefined,
        'aria-invalid': hasProblem || undefined,
      })}
      {hasProblem ? (
        <div id={`${control}-problem`} className={classes.problem}>
          <Icon of={CircleAlert} label={text('errorMark')} sizePx={18} />
          <span>{problem}</span>
        </div>
      ) : null}
    </div>
  );
}

interface TextProps extends FieldProps, Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'className' | 'onChange'> {
  onChange?: (value: string) => void;
  action?: ReactNode;
  /** When a dialog opens. */
  isFocusedFirst?: boolean;
  ref?: Ref<HTMLInputElement>;
}

export function TextField(props: TextProps) {
  const { label, isLabelHidden, help, problem, isOptional, id, onChange, action, isFocusedFirst, ...rest } = props;
  return (
    <Field label={label} isLabelHidden={isLabelHidden} help={help} problem={problem} isOptional={isOptional} id={id}>
      {(wiring) => (
        <div className={classes.line}>
          <input
            type="text"
            {...rest}
            {...wiring}
            className={classes.control}
            onChange={(event) => onChange?.(event.currentTarget.value)}
            data-autofocus={isFocusedFirst}
          />
          {action}
        </div>
      )}
    </Field>
  );
}

export function PasswordField(props: Omit<TextProps, 'type' | 'action'>) {
  const text = useText('ui');
  const [isShown, setShown] = useState(false);
  return (
    <TextField
      autoComplete="off"
      {...props}
      type={isShown ? 'text' : 'password'}
      spellCheck={false}
      action={
        <Button
          aria-label={text(isShown ? 'hidePassword' : 'showPassword')}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {text(isShown ? 'hide' : 'show')}
        </Button>
      }
    />
  );
}

interface AreaProps
  extends FieldProps,
    Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id' | 'className' | 'onChange'> {
  onChange?: (value: string) => void;
  ref?: Ref<HTMLTextAreaElement>;
}

export function TextArea({ label, isLabelHidden, help, problem, isOptional, id, onChange, ...rest }: AreaProps) {
  return (
    <Field label={label} isLabelHidden={isLabelHidden} help={help} problem={problem} isOptional={isOptional} id={id}>
      {(wiring) => (
        <textarea
          rows={4}
          {...rest}
          {...wiring}
          className={classes.control}
          onChange={(event) => onChange?.(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface NumberProps extends FieldProps {
  value: number | null;
  onChange: (value: number | null) => void;
  min?: number;
  max?: number | undefined;
}

/** A whole number; empty is null. */
export function NumberField({ value, onChange, min = 0, max, ...field }: NumberProps) {
  return (
    <Field {...field}>
      {(wiring) => (
        <NumberInput
          {...wiring}
          value={value ?? ''}
          onChange={(next) => onChange(next === '' ? null : Number(next))}
          min={min}
          {...(max === undefined ? {} : { max })}
          allowDecimal={false}
          allowNegative={min < 0}
          clampBehavior="blur"
          hideControls
          classNames={{ input: classes.control! }}
        />
      )}
    </Field>
  );
}
