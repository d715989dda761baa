// One of a few short choices that take effect at once, side by side: ranges, states. Radio buttons underneath, so arrow
// keys move between them.
import { useId } from 'react';
import type { Choice } from './choice.tsx';
import classes from './segments.module.css';

interface Props<Value extends string> {
  /** For screen readers; shown nowhere else. */
  label: string;
  choices: readonly Choice<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

export function Segments<Value extends string>({ label, choices, value, onChange }: Props<Value>) {
  const name = useId();
  return (
    <fieldset className={classes.group}>
      <legend className={classes.hidden}>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={classes.segment} data-chosen={choice.value === value}>
          <input
            type="radio"
            name={name}
            className={classes.hidden}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
