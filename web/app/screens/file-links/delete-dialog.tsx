import { useQueryClient } from '@tanstack/react-query';
import type { AppLinkBody } from '#contract/app/file-links.ts';
import { ClientProblem } from '#contract/client.ts';
import { visibleText } from '../../../visible.ts';
import { useApiChange } from '../../api.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';

interface Props {
  link: Pick<AppLinkBody, 'id' | 'filename'>;
  onClose: () => void;
  /** True if it was already deleted. */
  onDeleted: (isGone: boolean) => void;
}

export function DeleteDialog({ link, onClose, onDeleted }: Props) {
  const text = useText('file-links');
  const known = useQueryClient();
  const removal = useApiChange('deleteFileLink', ['links']);
  const file = visibleText(link.filename);
  const close = (isGone: boolean) => {
    announce(text(isGone ? 'goneAlready' : 'deleted', { file }));
    onDeleted(isGone);
  };
  const onError = (error: Error) => {
    if (!(error instanceof ClientProblem) || error.status !== 404) return;
    void known.invalidateQueries({ queryKey: ['links'] });
    close(true);
  };
  return (
    <ConfirmDialog
      isDanger
      title={text('deleteAsk', { file })}
      cancelLabel={text('keep')}
      confirmLabel={text('delete')}
      change={removal}
      onConfirm={() => removal.mutate({ params: { id: link.id } }, { onSuccess: () => close(false), onError })}
      onClose={onClose}
    >
      {text('deleteText')}
    </ConfirmDialog>
  );
}
