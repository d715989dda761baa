// Leads recipients to the passkeys of their address.
import type { ReactNode } from 'react';
import type { PasskeyHint } from '../props.ts';
import { Fact } from './facts.tsx';
import { useText } from './frame.tsx';

export function PasskeyFact({ hint }: { hint: PasskeyHint | null | undefined }): ReactNode {
  const say = useText();
  if (hint === null || hint === undefined) return null;
  return (
    <Fact icon="key">
      <a href={hint.url}>{say(hint.hasPasskey ? 'passkey.hintList' : 'passkey.hintNew')}</a>
    </Fact>
  );
}
