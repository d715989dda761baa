// Asks before a link is deleted. One that somebody deleted meanwhile counts as deleted, and that is told.
import { useQueryClient } from '@tanstack/react-query';
import type { AppLinkBody } from '#contract/app/file-links.ts';
import { ClientProblem } from '#contract/client.ts';
import { visibleText } from '../../../visible.ts';
import { useApiChange } from '../../api.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ProblemNotice } from '../../ui/error-state.tsx';

interface Props {
  link: Pick<AppLinkBody, 'id' | 'filename'>;
  onKept: () => void;
  /** True: it had been deleted before. */
  onDeleted: (isGone: boolean) => void;
}

export function DeleteDialog({ link, onKept, onDeleted }: Props) {
  const text = useText('file-links');
  const known = useQueryClient();
  const removal = useApiChange('deleteFileLink', ['links']);
  const file = visibleText(link.filename);
  const tell = (isGone: boolean) => {
    announce(text(isGone ? 'goneAlready' : 'deleted', { file }));
    onDeleted(isGone);
  };
  const go = () =>
    removal.mutate(
      { params: { id: link.id } },
      {
        onSuccess: () => tell(false),
        onError: (error) => {
          if (!(error instanceof ClientProblem) || error.status !== 404) return;
          void known.invalidateQueries({ queryKey: ['links'] });
          tell(true);
        },
      },
    );
  return (
    <ConfirmDialog
      question={text('deleteAsk', { file })}
      consequence={text('deleteText')}
      keepLabel={text('keep')}
      goLabel={text('delete')}
      isOpen
      isBusy={removal.isPending}
      problem={<ProblemNotice error={removal.error} />}
      onKeep={onKept}
      onGo={go}
    />
  );
}
