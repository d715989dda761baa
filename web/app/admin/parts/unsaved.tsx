import { useBlocker } from '@tanstack/react-router';
import { useText } from '../../texts.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';

interface Props {
  isChanged: boolean;
  /** The search parameter that identifies what is edited, if the path does not. */
  param?: string;
}

export function Unsaved({ isChanged, param = '' }: Props) {
  const text = useText('admin/console');
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const paramOf = (search: object) => (search as Record<string, string | undefined>)[param];
      return isChanged && (current.pathname !== next.pathname || paramOf(current.search) !== paramOf(next.search));
    },
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <ConfirmDialog
      isDanger
      title={text('leaveTitle')}
      cancelLabel={text('leaveKeep')}
      confirmLabel={text('leaveGo')}
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    >
      {text('leaveText')}
    </ConfirmDialog>
  );
}
