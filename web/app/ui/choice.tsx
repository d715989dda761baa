// Segments and Switch are for changes that apply immediately.

import { Checkbox as Box, Select as Combo, Radio, Switch as Toggle } from '@mantine/core';
import { ChevronDown } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useText } from '../texts.ts';
import classes from './choice.module.css';
import fieldClasses from './field.module.css';
import { Field, type FieldProps } from './field.tsx';
import { Icon } from './icon.tsx';
import menuClasses from './menu.module.css';

export interface Choice<Value extends string> {
  value: Value;
  label: string;
  help?: string;
}

interface RadioProps<Value extends string> {
  label: string;
  /** A heading shows it. */
  isLabelHidden?: boolean;
  choices: readonly Choice<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  children?: ReactNode;
}

export function RadioGroup<Value extends string>(props: RadioProps<Value>) {
  const { label, isLabelHidden, choices, value, onChange, children } = props;
  const name = useId();
  return (
    <fieldset className={classes.group}>
      <legend className={isLabelHidden ? 'visually-hidden' : fieldClasses.label}>{label}</legend>
      {choices.map((choice) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the radio button is inside
        <label key={choice.value} className={classes.card} data-chosen={choice.value === value}>
          <Radio
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
            aria-label={choice.label}
            {...(choice.help === undefined ? {} : { 'aria-describedby': `${name}-${choice.value}` })}
            classNames={{ radio: classes.box!, icon: classes.mark! }}
          />
          <span className={classes.text}>
            <span className={classes.strong}>{choice.label}</span>
            {choice.help === undefined ? null : (
              <span id={`${name}-${choice.value}`} className={fieldClasses.help}>
                {choice.help}
              </span>
            )}
          </span>
        </label>
      ))}
      {children}
    </fieldset>
  );
}

interface CheckboxProps {
  label: string;
  help?: string;
  checked: boolean;
  isPartly?: boolean;
  isDisabled?: boolean;
  isLabelHidden?: boolean;
  onChange: (isOn: boolean) => void;
}

export function Checkbox({ label, help, checked, isPartly, isDisabled, isLabelHidden, onChange }: CheckboxProps) {
  return (
    <Box
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      description={help}
      checked={checked}
      indeterminate={isPartly === true}
      disabled={isDisabled === true}
      onChange={(event) => onChange(event.currentTarget.checked)}
      classNames={{
        body: classes.body!,
        label: classes.label!,
        description: classes.help!,
        input: classes.box!,
        icon: classes.mark!,
      }}
    />
  );
}

interface SwitchProps {
  label: string;
  help?: string | undefined;
  checked?: boolean;
  defaultChecked?: boolean;
  /** The label fills the line, and the switch is at its end. */
  isLine?: boolean;
  onChange: (isOn: boolean) => void;
}

/** Shows its state itself: the label names what is on, without "On" or "Off". */
export function Switch({ label, help, checked, defaultChecked, isLine, onChange }: SwitchProps) {
  return (
    <Toggle
      label={label}
      {...(isLine ? { labelPosition: 'left', mod: { line: true } } : {})}
      description={help}
      {...(checked === undefined ? {} : { checked })}
      {...(defaultChecked === undefined ? {} : { defaultChecked })}
      onChange={(event) => onChange(event.currentTarget.checked)}
      withThumbIndicator={false}
      classNames={{
        label: classes.label!,
        description: classes.help!,
        track: classes.track!,
        thumb: classes.thumb!,
        body: classes.body!,
      }}
    />
  );
}

interface SelectProps<Value extends string> extends FieldProps {
  choices: readonly Choice<Value>[];
  value: Value | null;
  onChange: (value: Value) => void;
  /** Use it for more than ten choices. */
  isSearchable?: boolean;
  placeholder?: string;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const text = useText('ui');
  const { choices, value, onChange, isSearchable, placeholder, ...field } = props;
  return (
    <Field {...field}>
      {(wiring) => (
        <Combo
          {...wiring}
          data={choices.map((choice) => ({ value: choice.value, label: choice.label }))}
          value={value}
          onChange={(chosen) => {
            if (chosen !== null) onChange(chosen as Value);
          }}
          allowDeselect={false}
          searchable={isSearchable === true}
          nothingFoundMessage={text('emptySelect')}
          placeholder={placeholder ?? ''}
          rightSection={<Icon of={ChevronDown} sizePx={18} />}
          rightSectionPointerEvents="none"
          comboboxProps={{ shadow: 'lg' }}
          classNames={{
            input: `${fieldClasses.control} ${classes.select}`,
            dropdown: menuClasses.dropdown!,
            option: menuClasses.item!,
          }}
        />
      )}
    </Field>
  );
}

interface SegmentsProps<Value extends string> {
  label: string;
  choices: readonly Choice<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

/** Radio buttons, so that arrow keys move between them. */
export function Segments<Value extends string>({ label, choices, value, onChange }: SegmentsProps<Value>) {
  const name = useId();
  return (
    <fieldset className={classes.segments}>
      <legend className="visually-hidden">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={classes.segment} data-chosen={choice.value === value}>
          <input
            type="radio"
            name={name}
            className="visually-hidden"
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
