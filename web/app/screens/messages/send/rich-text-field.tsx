// Replaces the plain field for groups that may send HTML.
import { Field } from '../../../ui/field.tsx';
import classes from './rich-text.module.css';
import type { Written } from './rich-text.ts';
import { RichTextBar } from './rich-text-bar.tsx';
import { useEditing } from './rich-text-editing.ts';
import { LinkDialog } from './rich-text-link.tsx';

interface Props {
  id: string;
  label: string;
  problem: string | null;
  isLocked: boolean;
  written: Written;
  onChange: (written: Written) => void;
}

export function RichTextField({ id, label, problem, isLocked, written, onChange }: Props) {
  const { editor, events, active, applyTool, link } = useEditing(written, onChange);
  return (
    <>
      <Field id={id} label={label} isOptional problem={problem}>
        {(wiring) => (
          <div className={classes.frame}>
            <RichTextBar controls={id} active={active} onClick={applyTool} />
            {/* biome-ignore lint/a11y/useSemanticElements: a textarea cannot show formatted text */}
            <div
              {...wiring}
              {...events}
              ref={editor}
              role="textbox"
              tabIndex={0}
              aria-multiline="true"
              aria-labelledby={`${id}-label`}
              aria-disabled={isLocked || undefined}
              contentEditable={!isLocked}
              className={classes.text}
            />
          </div>
        )}
      </Field>
      {link.editedAddress === null ? null : (
        <LinkDialog address={link.editedAddress} onConfirm={link.set} onClose={link.cancel} />
      )}
    </>
  );
}
