// The files of a sent message: how often each was downloaded whole, by how many of its people, and its checksum.

import { Check, Copy } from 'lucide-react';
import type { SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { useCopy } from '../../../ui/copy-field.tsx';
import { FileList, FileRow } from '../../../ui/file-row.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import type { TrackerProps } from './asks.ts';
import { useSentWords } from './words.ts';

export function SentFiles({ message, ask }: TrackerProps) {
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
          <Button variant="danger" size="small" onClick={() => ask({ kind: 'delete' })}>
            {text('deleteFiles')}
          </Button>
        ) : undefined
      }
    >
      <FileList label={text('filesTitle')}>
        {message.files.map((file) => (
          <OneFile key={file.id} file={file} message={message} />
        ))}
      </FileList>
    </Card>
  );
}

const tones = { checking: 'plain', ready: 'plain', damaged: 'danger', deleted: 'plain' } as const;

function OneFile({ file, message }: { file: SentMessageBody['files'][number]; message: SentMessageBody }) {
  const text = useText('sent');
  const words = useSentWords();
  const { state: copyState, copy } = useCopy(text('checksumCopied'));
  const name = visibleText(file.filename);
  const size = words.size(file.size);
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
      tone={tones[file.state]}
      state={
        <>
          {facts[file.state]()}
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
        file.sha256 === '' ? undefined : (
          <Button
            size="small"
            variant="quiet"
            icon={copyState === 'copied' ? Check : Copy}
            aria-label={copyState === 'copied' ? undefined : text('copyChecksumOf', { file: name })}
            onClick={() => void copy(file.sha256)}
          >
            {text(copyState === 'copied' ? 'copiedLink' : 'copyChecksum')}
          </Button>
        )
      }
    />
  );
}
