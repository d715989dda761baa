// Text made for copying. Without script: one click selects a block whole, Tab selects a field whole.
import type { ReactNode } from 'react';

interface CopyProps {
  id: string;
  label: string;
  help?: string;
  value: string;
}

/** Commands and checksums: several lines, wraps anywhere. */
export function CopyableCode({ label, value }: { label: string; value: string }): ReactNode {
  return (
    <figure className="copyable">
      <figcaption className="label">{label}</figcaption>
      <pre className="code">
        <code>{value}</code>
      </pre>
    </figure>
  );
}

/** One value, such as a key or a link, in a read-only field. */
export function CopyField({ id, label, help, value }: CopyProps): ReactNode {
  return (
    <div className="field">
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
    </div>
  );
}
