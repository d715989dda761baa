import type { SystemDropBody } from '#contract/admin/filedrops.ts';
import { visibleText } from '../../../../visible.ts';
import { useText } from '../../../texts.ts';
import { Pill } from '../../../ui/pill.tsx';

/** Open without an active receiver: senders get "not available". */
export function isStuck({ open, receivers }: SystemDropBody): boolean {
  return open && !receivers.some(({ can_receive }) => can_receive);
}

export function DropState({ drop }: { drop: SystemDropBody }) {
  const text = useText('admin/filedrops');
  if (isStuck(drop)) return <Pill tone="danger">{text('stateStuck')}</Pill>;
  return drop.open ? <Pill tone="success">{text('stateOpen')}</Pill> : <Pill tone="ended">{text('stateClosed')}</Pill>;
}

export function useReceiverName(): (receiver: SystemDropBody['receivers'][number]) => string {
  const text = useText('admin/filedrops');
  return ({ name, email }) => (email === '' ? text('hidden') : visibleText(name === '' ? email : name));
}
