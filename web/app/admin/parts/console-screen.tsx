import type { ComponentProps } from 'react';
import { useMe } from '../../me.ts';
import { Screen } from '../../parts/screen.tsx';
import { useText } from '../../texts.ts';
import { Notice } from '../../ui/states.tsx';
import type { Role } from '../roles.ts';

/** `changers`: roles that may change what the screen shows. */
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
