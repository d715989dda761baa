import { useBlocker } from '@tanstack/react-router';
import { useText } from '../../texts.ts';
import { AskDialog } from '../../ui/dialog.tsx';

interface Props {
  isChanged: boolean;
  /** The search parameter that identifies what is edited, if the path does not. */
  word?: string;
}

export function Unsaved({ isChanged, word = '' }: Props) {
  const text = useText('admin/console');
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const wordOf = (search: object) => (search as Record<string, string | undefined>)[word];
      return isChanged && (current.pathname !== next.pathname || wordOf(current.search) !== wordOf(next.search));
    },
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <AskDialog
      isDanger
      title={text('leaveTitle')}
      keepLabel={text('leaveKeep')}
      goLabel={text('leaveGo')}
      onGo={blocker.proceed}
      onClose={blocker.reset}
    >
      {text('leaveText')}
    </AskDialog>
  );
}
