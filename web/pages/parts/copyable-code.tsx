// Without script, a click selects a block and Tab a field; the script adds a button.
import type { ReactNode } from 'react';
import { useText } from './frame.tsx';

interface CopyProps {
  id: string;
  label: string;
  help?: string;
  value: string;
}

/** Several lines, wraps anywhere. */
export function CopyableCode({ label, value }: { label: ReactNode; value: string }): ReactNode {
  return (
    <figure className="copyable">
      <figcaption className="label">{label}</figcaption>
      <pre className="code">
        <code>{value}</code>
      </pre>
      <CopyButton />
    </figure>
  );
}

export function CopyField({ id, label, help, value }: CopyProps): ReactNode {
  return (
    <div className="field copyable">
      <label htmlFor={id}>{label}</label>
      {help !== undefined && (
        <p id={`${id}-help`} className="help">
          {help}
        </p>
      )}
      <input
        id={id}
        className="code"
        type="text"
        readOnly
        value={value}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        autoComplete="off"
        spellCheck={false}
      />
      <CopyButton />
    </div>
  );
}

/** Revealed by the script; copies the adjacent text, or `text`. */
export function CopyButton({ label, text }: { label?: string; text?: string }): ReactNode {
  const say = useText();
  return (
    <button
      type="button"
      className={text === undefined ? 'button button-quiet button-small' : 'button button-secondary button-small'}
      hidden
      data-copy={text ?? ''}
      data-copied={say('part.copied')}
    >
      {label ?? say('part.copy')}
    </button>
  );
}
