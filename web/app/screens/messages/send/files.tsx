// The files of a message: ways to add them, one row each, and files of earlier messages. Uploads start when they are added.
import { History, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { sizeIn } from '#language/sizes.ts';
import { chooseFiles } from '../../../../uploads/pick.ts';
import { visibleText } from '../../../../visible.ts';
import { useMe } from '../../../me.ts';
import { TransferRow } from '../../../parts/transfer-row.tsx';
import { useLocale, useText } from '../../../texts.ts';
import { transfers, useTransfers } from '../../../transfers/transfers.ts';
import { Button } from '../../../ui/button.tsx';
import { DropZone } from '../../../ui/drop-zone.tsx';
import { FileList, FileRow } from '../../../ui/file-row.tsx';
import { Notice } from '../../../ui/notice.tsx';
import type { Draft } from './draft.ts';
import { EarlierFiles } from './earlier.tsx';
import { sendFields } from './mistakes.ts';
import { type AwaitedFile, addFiles, changeDraft, forgetAwaited } from './outgoing.ts';
import classes from './send.module.css';

interface Props {
  draft: Draft;
  awaited: AwaitedFile[];
  /** Send was pressed: nothing more may be added. */
  isLocked: boolean;
}

export function SendFiles({ draft, awaited, isLocked }: Props) {
  const text = useText('send');
  const locale = useLocale();
  const { policy } = useMe();
  const { files, full, isOffline } = useTransfers('send');
  const uploadText = useText('upload');
  const [isChoosing, setChoosing] = useState(false);
  useEffect(() => transfers().show('send'), []);
  const count = files.length + awaited.length + draft.earlier.length;
  const limit = text('limit', { size: sizeIn(locale, policy.message_max_size * 1024 * 1024) });
  return (
    <div className={classes.files}>
      {isLocked ? null : (
        <DropZone
          id={sendFields.files}
          onFiles={addFiles}
          help={count === 0 ? [limit, text('startsAtOnce')].map((line) => <div key={line}>{line}</div>) : limit}
          more={
            <Button variant="quiet" icon={History} onClick={() => setChoosing(true)}>
              {text('addEarlier')}
            </Button>
          }
        />
      )}
      {full === null ? null : <Notice tone="danger">{full}</Notice>}
      {isOffline && files.length > 0 ? <Notice tone="warning">{uploadText('upload.offline')}</Notice> : null}
      {count === 0 ? null : (
        <FileList label={text('files')}>
          {awaited.map((file) => (
            <AwaitedRow key={file.name} file={file} />
          ))}
          {draft.earlier.map(({ id, name, sizeBytes }) => (
            <FileRow
              key={id}
              name={name}
              tone="success"
              state={text('earlierRow', { size: sizeIn(locale, sizeBytes) })}
              actions={
                isLocked ? undefined : (
                  <Button
                    size="small"
                    variant="quiet"
                    aria-label={text('removeName', { file: visibleText(name) })}
                    onClick={() => changeDraft({ earlier: draft.earlier.filter((one) => one.id !== id) })}
                  >
                    {text('remove')}
                  </Button>
                )
              }
            />
          ))}
          {files.map((file) => (
            <TransferRow key={file.id} file={file} />
          ))}
        </FileList>
      )}
      <EarlierFiles draft={draft} isOpen={isChoosing} onClose={() => setChoosing(false)} />
    </div>
  );
}

function AwaitedRow({ file }: { file: AwaitedFile }) {
  const text = useText('send');
  const name = visibleText(file.name);
  const percent = transfers().words.percent(file.sentBytes, file.sizeBytes);
  return (
    <FileRow
      name={file.name}
      tone="warning"
      state={text('awaitedRow', { percent })}
      actions={
        <>
          <Button
            size="small"
            icon={TriangleAlert}
            aria-label={text('chooseAgainName', { file: name })}
            onClick={() => chooseFiles(file.name.includes('/'), addFiles)}
          >
            {text('chooseAgain')}
          </Button>
          <Button
            size="small"
            variant="quiet"
            aria-label={text('removeName', { file: name })}
            onClick={() => forgetAwaited(file)}
          >
            {text('remove')}
          </Button>
        </>
      }
    />
  );
}
