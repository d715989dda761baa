// The files of a sent message: how often each was downloaded whole, by how many of its people, and its checksum.
import { Check, Copy } from 'lucide-react';
import type { SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { useCopy } from '../../../ui/copy-field.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { FileList, FileRow } from '../../../ui/file-row.tsx';
import type { SentAsk } from './dialogs.tsx';
import classes from './files.module.css';
import { useSentWords } from './words.ts';

export function SentFiles({ message, ask }: { message: SentMessageBody; ask: (ask: SentAsk) => void }) {
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
      {...(message.actions.delete_files
        ? {
            actions: (
              <Button variant="danger" size="small" onClick={() => ask({ kind: 'delete' })}>
                {text('deleteFiles')}
              </Button>
            ),
          }
        : {})}
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
          <span className={classes.facts}>{facts[file.state]()}</span>
          {file.sha256 === '' ? (
            text('noChecksum')
          ) : (
            <>
              <span className={classes.label}>{text('checksum')}</span>
              <code className={classes.checksum}>{file.sha256}</code>
            </>
          )}
        </>
      }
      {...(file.sha256 === ''
        ? {}
        : {
            actions: (
              <Button
                size="small"
                variant="quiet"
                icon={copyState === 'copied' ? Check : Copy}
                {...(copyState === 'copied' ? {} : { 'aria-label': text('copyChecksumOf', { file: name }) })}
                onClick={() => void copy(file.sha256)}
              >
                {text(copyState === 'copied' ? 'copiedLink' : 'copyChecksum')}
              </Button>
            ),
          })}
    />
  );
}
