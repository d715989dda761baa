// A whole number with its bounds; typed, or changed with the arrow keys. Empty is null.
import { NumberInput } from '@mantine/core';
import classes from './field.module.css';
import { Field, type FieldProps } from './field.tsx';

interface Props extends FieldProps {
  value: number | null;
  onChange: (value: number | null) => void;
  min?: number;
  max?: number;
  /** `days`, `GB`: behind the number. */
  unit?: string;
}

export function NumberField({ value, onChange, min = 0, max, unit, ...field }: Props) {
  return (
    <Field {...field}>
      {(wiring) => (
        <NumberInput
          {...wiring}
          value={value ?? ''}
          onChange={(next) => onChange(next === '' ? null : Number(next))}
          min={min}
          {...(max === undefined ? {} : { max })}
          {...(unit === undefined ? {} : { suffix: ` ${unit}` })}
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
