// The head of a console screen: title, lead, and for those who may only look a line that says so.
import type { ComponentProps } from 'react';
import { useMe } from '../../me.ts';
import { Screen } from '../../parts/screen.tsx';
import { useText } from '../../texts.ts';
import { Notice } from '../../ui/states.tsx';
import type { Role } from '../roles.ts';

/** `changers`: who may change what it shows. */
export function ConsoleScreen({
  changers,
  children,
  ...screen
}: ComponentProps<typeof Screen> & { changers: readonly Role[] }) {
  const text = useText('admin/console');
  const { role } = useMe();
  return (
    <Screen {...screen}>
      {changers.includes(role) ? null : <Notice>{text('readOnly')}</Notice>}
      {children}
    </Screen>
  );
}
