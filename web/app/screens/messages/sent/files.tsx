import { Check, Copy } from 'lucide-react';
import type { SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { useCopy } from '../../../ui/copy-field.tsx';
import { FileList, FileRow } from '../../../ui/file-row.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useHeldReason } from '../file-checks.tsx';
import type { TrackerProps } from './dialog-props.ts';
import { useSentFormats } from './sent-formats.ts';

export function SentFiles({ message, openDialog }: TrackerProps) {
  const text = useText('sent');
  if (message.files.length === 0)
    return (
      <Card>
        <EmptyState>{text('noFilesSent')}</EmptyState>
      </Card>
    );
  return (
    <Card
      title={text('filesTitle')}
      actions={
        message.actions.delete_files ? (
          <Button variant="danger" size="small" onClick={() => openDialog({ kind: 'delete' })}>
            {text('deleteFiles')}
          </Button>
        ) : undefined
      }
    >
      <FileList label={text('filesTitle')}>
        {message.files.map((file) => (
          <OneFile key={file.id} file={file} message={message} openDialog={openDialog} />
        ))}
        {message.removed_files.map((file) => (
          <RemovedFile key={file.id} file={file} />
        ))}
      </FileList>
    </Card>
  );
}

const tones = { checking: 'plain', ready: 'plain', damaged: 'danger', deleted: 'plain' } as const;

interface FileProps extends Pick<TrackerProps, 'message' | 'openDialog'> {
  file: SentMessageBody['files'][number];
}

function OneFile({ file, message, openDialog }: FileProps) {
  const text = useText('sent');
  const formats = useSentFormats();
  const size = formats.size(file.size);
  const count = message.people_count;
  const facts = {
    checking: () => text('fileChecking', { size }),
    damaged: () => text('fileDamaged', { size }),
    deleted: () => text('fileDeleted', { size }),
    ready: () =>
      count === 0
        ? text('fileFactsAnyone', { size, downloads: file.downloads })
        : text('fileFacts', { size, downloads: file.downloads, done: file.people_done, count }),
  };
  return (
    <FileRow
      name={file.filename}
      tone={file.check?.state === 'held' ? 'danger' : tones[file.state]}
      state={
        <>
          {file.check !== null && message.is_open && file.state === 'ready' ? (
            <CheckState check={file.check} size={size} />
          ) : (
            facts[file.state]()
          )}
          <br />
          {file.sha256 === '' ? (
            text('noChecksum')
          ) : (
            <>
              {text('checksum')} <code>{file.sha256}</code>
            </>
          )}
        </>
      }
      actions={
        <>
          {file.sha256 === '' ? null : <CopyChecksum file={file} />}
          {message.actions.remove_files.includes(file.id) ? (
            <Button
              size="small"
              variant="quiet"
              aria-label={text('removeFileOf', { file: visibleText(file.filename) })}
              onClick={() => openDialog({ kind: 'remove', fileId: file.id })}
            >
              {text('removeFile')}
            </Button>
          ) : null}
        </>
      }
    />
  );
}

function CheckState({ check, size }: { check: NonNullable<FileProps['file']['check']>; size: string }) {
  const text = useText('file-checks');
  const reasonOf = useHeldReason();
  if (check.state === 'held') return text('fileHeld', { size, reason: reasonOf(check) });
  return check.percent === null
    ? text('fileScanning', { size })
    : text('fileScanningPercent', { size, n: check.percent });
}

function CopyChecksum({ file }: Pick<FileProps, 'file'>) {
  const text = useText('sent');
  const { state, copy } = useCopy(text('checksumCopied'));
  return (
    <Button
      size="small"
      variant="quiet"
      icon={state === 'copied' ? Check : Copy}
      aria-label={state === 'copied' ? undefined : text('copyChecksumOf', { file: visibleText(file.filename) })}
      onClick={() => void copy(file.sha256)}
    >
      {text(state === 'copied' ? 'copiedLink' : 'copyChecksum')}
    </Button>
  );
}

/** A record of who has it. */
function RemovedFile({ file }: { file: SentMessageBody['removed_files'][number] }) {
  const text = useText('sent');
  const formats = useSentFormats();
  const values = { size: formats.size(file.size), time: formats.dateTime(file.removed_at), downloads: file.downloads };
  return <FileRow name={file.filename} state={text('fileRemoved', values)} />;
}
