// A button inside a form that uses or creates a passkey. Hidden until its script runs.
import type { ReactNode } from 'react';
import type { PasskeyPart } from '../props.ts';
import type { ButtonVariant } from './button.tsx';
import { useText } from './frame.tsx';
import { Icon } from './icon.tsx';

interface PasskeyButtonProps {
  part: PasskeyPart;
  does?: 'use' | 'create';
  variant?: ButtonVariant;
  /** Where passkeys are only another way, nothing says that they are missing. */
  isOptional?: boolean;
  children: ReactNode;
}

export function PasskeyButton(props: PasskeyButtonProps): ReactNode {
  const { part, does = 'use', variant = 'secondary', isOptional = false, children } = props;
  const say = useText();
  const id = does === 'use' ? 'no-passkey' : 'no-new-passkey';
  return (
    <>
      <div data-passkey={JSON.stringify(part.options)} data-does={does} data-without={id} hidden>
        <input type="hidden" name="credential" />
        <button type="submit" className={`button button-${variant}`} formAction={part.formAction}>
          <Icon name="key" />
          {children}
        </button>
        <p className="help" role="alert" data-failed hidden>
          {say('passkey.failed')}
        </p>
      </div>
      {!isOptional && (
        <>
          <p className="muted" id={id} hidden>
            {say('passkey.unavailable')}
          </p>
          <noscript>
            <p className="muted">{say('passkey.unavailable')}</p>
          </noscript>
        </>
      )}
    </>
  );
}
