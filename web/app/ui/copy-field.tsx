// If the browser forbids copying, selects the text.

import { Check, Copy } from 'lucide-react';
import { useRef, useState } from 'react';
import { useText } from '../texts.ts';
import { announce } from './announcer.tsx';
import { Button } from './button.tsx';
import classes from './field.module.css';
import { Field } from './field.tsx';

interface Props {
  label: string;
  value: string;
  help?: string;
  /** `Link copied.` */
  announcement?: string;
  isLong?: boolean;
  isMain?: boolean;
  lines?: number;
  /** When a dialog opens. */
  isFocusedFirst?: boolean;
}

export function CopyField({ label, value, help, announcement, isLong, isMain, lines = 6, isFocusedFirst }: Props) {
  const text = useText('ui');
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const { state, copy } = useCopy(announcement);
  const copyValue = () => copy(value, () => input.current?.select());
  const fieldProps = { className: classes.control, readOnly: true, value, ref: input };
  return (
    <Field label={label} help={help} problem={state === 'failed' ? text('copyFailed') : null}>
      {(wiring) => (
        <div className={isLong ? `${classes.line} ${classes.long}` : classes.line}>
          {isLong ? (
            <textarea {...wiring} {...fieldProps} rows={lines} onFocus={(event) => event.currentTarget.select()} />
          ) : (
            <input {...wiring} {...fieldProps} onFocus={(event) => event.currentTarget.select()} />
          )}
          <Button
            variant={isMain ? 'primary' : 'secondary'}
            icon={state === 'copied' ? Check : Copy}
            onClick={() => void copyValue()}
            data-autofocus={isFocusedFirst}
          >
            {text(state === 'copied' ? 'copied' : 'copy')}
          </Button>
        </div>
      )}
    </Field>
  );
}

export function useCopy(announcement?: string): {
  state: 'ready' | 'copied' | 'failed';
  copy(value: string, orElse?: () => void): Promise<void>;
} {
  const text = useText('ui');
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  return {
    state,
    async copy(value, orElse) {
      try {
        await navigator.clipboard.writeText(value);
        setState('copied');
        announce(announcement ?? text('copiedSaid'));
        setTimeout(() => setState('ready'), 3_000);
      } catch {
        setState('failed');
        orElse?.();
      }
    },
  };
}
