import type { ReactNode } from 'react';
import { visibleText } from '../../visible.ts';
import { Say, useFrame, useText } from './frame.tsx';
import { mailto } from './layout.tsx';
import { UserText } from './user-text.tsx';

export function WriteTo({ address, about }: { address: string; about: string | null }): ReactNode {
  return (
    <p>
      <Say k="gone.writeTo" with={{ address: <AddressLink address={address} about={about} /> }} />
    </p>
  );
}

export function AddressLink({ address, about }: { address: string; about: string | null }): ReactNode {
  const { reference } = useFrame();
  const say = useText();
  const subject =
    reference === null
      ? (about ?? '')
      : about === null
        ? say('layout.reportSubject', { reference })
        : say('gone.mailSubject', { subject: visibleText(about), reference });
  const query = subject === '' ? '' : `?subject=${encodeURIComponent(subject.toWellFormed())}`;
  return (
    <a href={`${mailto(address)}${query}`}>
      <UserText>{address}</UserText>
    </a>
  );
}
