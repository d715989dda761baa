// On or off, in force at once. For a choice that is sent with a form, use a Checkbox.
import { Switch as Toggle } from '@mantine/core';
import classes from './choice.module.css';

interface Props {
  label: string;
  /** Under the label, always visible. */
  help?: string;
  checked?: boolean;
  defaultChecked?: boolean;
  isDisabled?: boolean;
  onChange: (isOn: boolean) => void;
}

export function Switch({ label, help, checked, defaultChecked, isDisabled, onChange }: Props) {
  return (
    <Toggle
      label={label}
      description={help}
      disabled={isDisabled === true}
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
