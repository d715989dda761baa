// Leads recipients to the passkeys of their address.
import type { ReactNode } from 'react';
import type { PasskeyHint } from '../props.ts';
import { useText } from './frame.tsx';
import { Icon } from './icon.tsx';

export function PasskeyHintLink({ hint }: { hint: PasskeyHint | null | undefined }): ReactNode {
  const say = useText();
  if (hint === null || hint === undefined) return null;
  return (
    <p className="line">
      <Icon name="key" />
      <a href={hint.url}>{say(hint.hasPasskey ? 'passkey.hintList' : 'passkey.hintNew')}</a>
    </p>
  );
}
