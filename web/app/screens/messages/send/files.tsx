// Uploads start immediately.

import { TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { chooseFilesWithHandles } from '../../../../uploads/pick.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { StorageMeter } from '../../../parts/storage-meter.tsx';
import { useText } from '../../../texts.ts';
import { chooseAgainText } from '../../../transfers/choose-again.ts';
import { EarlierFiles, EarlierRow } from '../../../transfers/earlier-files.tsx';
import type { MissingFile } from '../../../transfers/engine.ts';
import { TransferRow } from '../../../transfers/row.tsx';
import { transfers, useTransfers } from '../../../transfers/transfers.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { DropZone } from '../../../ui/drop-zone.tsx';
import { FileList, FileRow } from '../../../ui/file-row.tsx';
import { Stack } from '../../../ui/layout.tsx';
import { Notice } from '../../../ui/states.tsx';
import type { Draft } from './draft.ts';
import { sendFields } from './mistakes.ts';
import { addFiles, changeDraft, forgetAwaited } from './outgoing.ts';

interface Props {
  draft: Draft;
  awaited: MissingFile[];
  /** Submitted: nothing can be added. */
  isLocked: boolean;
}

export function SendFiles({ draft, awaited, isLocked }: Props) {
  const text = useText('send');
  const formats = useFormats();
  const { policy } = useMe();
  const { files, full } = useTransfers('send');
  const storage = useApi('getStorage', {}).data?.storage;
  const isLimited = storage !== undefined && storage.quota !== null;
  useEffect(() => transfers().show('send'), []);
  const drop = (id: string) => changeDraft({ earlier: draft.earlier.filter((one) => one.id !== id) });
  const count = files.length + awaited.length + draft.earlier.length;
  const limit = text('limit', { size: formats.size(policy.message_max_size * 1024 * 1024) });
  return (
    <Stack gap={8}>
      {isLocked ? null : (
        <DropZone
          id={sendFields.files}
          onFiles={addFiles}
          help={count === 0 ? [limit, text('startsAtOnce')].map((line) => <div key={line}>{line}</div>) : limit}
          more={
            <EarlierFiles chosen={draft.earlier} onAdd={(file) => changeDraft({ earlier: [...draft.earlier, file] })} />
          }
        />
      )}
      <StorageMeter />
      {full === null ? null : <Notice tone="danger">{full}</Notice>}
      {full !== null || (isLimited && files.some(({ state }) => state === 'not-allowed')) ? (
        <div>
          <ButtonLink
            to="/account/$section"
            params={{ section: 'storage' }}
            search={{ from: 'send' } as never}
            size="small"
          >
            {text('freeSpace')}
          </ButtonLink>
        </div>
      ) : null}
      {count === 0 ? null : (
        <FileList label={text('files')}>
          {awaited.map((file) => (
            <AwaitedRow key={file.name} file={file} />
          ))}
          {draft.earlier.map((file) => (
            <EarlierRow key={file.id} file={file} onRemove={isLocked ? undefined : () => drop(file.id)} />
          ))}
          {files.map((file) => (
            <TransferRow key={file.id} file={file} />
          ))}
        </FileList>
      )}
    </Stack>
  );
}

function AwaitedRow({ file }: { file: MissingFile }) {
  const text = useText('upload');
  const name = visibleText(file.name);
  return (
    <FileRow
      name={file.name}
      tone="warning"
      state={chooseAgainText(file, text)}
      actions={
        <>
          <Button
            size="small"
            icon={TriangleAlert}
            aria-label={text('upload.againName', { file: name })}
            onClick={() => chooseFilesWithHandles(file.name.includes('/'), addFiles)}
          >
            {text('upload.again')}
          </Button>
          <Button
            size="small"
            variant="quiet"
            aria-label={text('upload.removeName', { file: name })}
            onClick={() => forgetAwaited(file)}
          >
            {text('upload.remove')}
          </Button>
        </>
      }
    />
  );
}
