// The browser's own control, styled like the kit's buttons.
import { Field } from './field.tsx';
import classes from './file-field.module.css';

interface Props {
  label: string;
  help?: string | undefined;
  accept: string;
  isDisabled?: boolean;
  onChoose: (file: File) => void;
}

export function FileField({ label, help, accept, isDisabled, onChoose }: Props) {
  return (
    <Field label={label} help={help}>
      {(wiring) => (
        <input
          {...wiring}
          type="file"
          className={classes.file}
          accept={accept}
          disabled={isDisabled}
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            if (file !== undefined) onChoose(file);
          }}
        />
      )}
    </Field>
  );
}
