// Sending without refused files needs a confirmation.
import { isSameFile } from '../../../../../transfer/rules.ts';
import { visibleText } from '../../../../visible.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import type { TransferFile } from '../../../transfers/engine.ts';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Stack } from '../../../ui/layout.tsx';
import type { SendMethod } from './outgoing.ts';

/** Excludes duplicates, which are sent once. */
export function refusedOf(files: readonly TransferFile[]): TransferFile[] {
  const accepted = files.filter(({ state }) => state !== 'not-allowed');
  return files.filter(
    ({ state, source }) => state === 'not-allowed' && !accepted.some((other) => isSameFile(other.source, source)),
  );
}

const mostNames = 3;

interface Props {
  method: SendMethod;
  refused: readonly TransferFile[];
  fileCount: number;
  onConfirm: () => void;
  onClose: () => void;
}

export function WithoutRefused({ method, refused, fileCount: n, onConfirm, onClose }: Props) {
  const text = useText('send');
  const uploadText = useText('upload');
  const formats = useFormats();
  const names = refused.map(({ source }) => visibleText(source.name));
  const shown = names.length <= mostNames ? names : names.slice(0, mostNames - 1);
  const more = names.length - shown.length;
  const files = formats.list([...shown, ...(more === 0 ? [] : [text('withoutOthers', { n: more })])]);
  return (
    <ConfirmDialog
      title={text(method === 'mail' ? 'withoutTitle' : 'withoutLinkTitle', { n, files })}
      confirmLabel={method === 'mail' ? text('withoutGo', { n }) : text('linkOnly')}
      cancelLabel={text('withoutKeep')}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Stack gap={8}>
        {refused.slice(0, mostNames).map(({ id, source, sentence }) => (
          <p key={id}>
            {uploadText('upload.notAdded', { file: visibleText(source.name), reason: visibleText(sentence ?? '') })}
          </p>
        ))}
      </Stack>
    </ConfirmDialog>
  );
}
