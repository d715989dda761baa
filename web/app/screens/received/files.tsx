import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { AppReceivedDetailBody } from '#contract/app/received.ts';
import { visibleText } from '../../../visible.ts';
import { useFormats } from '../../formats.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FileList, FileRow } from '../../ui/file-row.tsx';
import { Muted } from '../../ui/layout.tsx';
import { ProblemNotice } from '../../ui/states.tsx';
import { useReceivedDownload } from './download.ts';
import classes from './received.module.css';

type ReceivedFile = AppReceivedDetailBody['attachments'][number];

interface Props {
  item: AppReceivedDetailBody;
  /** True while a file may change without an event. */
  onWatch: (isWatching: boolean) => void;
}

/** A longer download is shown when the tab becomes visible. */
const watchMs = 60_000;

export function ReceivedFiles({ item, onWatch }: Props) {
  const text = useText('received');
  const formats = useFormats();
  const [startedAt, setStartedAt] = useState(0);
  const download = useReceivedDownload(() => {
    announce(text('startedSaid'));
    setStartedAt(Date.now());
  });
  const isChecking = item.state !== 'expired' && item.attachments.some(({ state }) => state === 'checking');
  useEffect(() => {
    onWatch(isChecking || startedAt > 0);
    const timer = setTimeout(() => onWatch(isChecking), watchMs);
    return () => clearTimeout(timer);
  }, [isChecking, startedAt, onWatch]);
  const startDownload = (attachment: string) => download.mutate({ messageId: item.id, attachment });
  const busyWith = download.isPending ? download.variables.attachment : null;
  const ready = item.state === 'expired' ? [] : item.attachments.filter(({ state }) => state === 'ready');
  const size = formats.size(ready.reduce((sum, file) => sum + file.size, 0));
  const all = (
    <Button
      variant="primary"
      icon={Download}
      isBusy={busyWith === 'all'}
      aria-label={text('downloadAllName', { size })}
      onClick={() => startDownload('all')}
    >
      {text('downloadAll')}
    </Button>
  );
  const notes = [
    ...(ready.length < item.attachments.length ? [text('allHolds', { n: ready.length, size })] : []),
    ...(item.downloads_left === null ? [] : [text('allCounts')]),
  ];
  return (
    <Card
      title={text('fileCount', { n: item.files, size: formats.size(item.size) })}
      actions={ready.length < 2 ? undefined : <div className={classes.onWide}>{all}</div>}
    >
      {ready.length < 2 || notes.length === 0 ? null : <Muted>{notes.join(' ')}</Muted>}
      <FileList label={text('files')}>
        {item.attachments.map((file) => (
          <OneFile
            key={file.id}
            file={file}
            isEnded={item.state === 'expired'}
            isOnly={item.attachments.length === 1}
            isBusy={busyWith === file.id}
            onClick={() => startDownload(file.id)}
          />
        ))}
      </FileList>
      <ProblemNotice error={download.error} />
      {ready.length < 2 ? null : <div className={classes.sticky}>{all}</div>}
    </Card>
  );
}

interface FileProps {
  file: ReceivedFile;
  isEnded: boolean;
  isOnly: boolean;
  isBusy: boolean;
  onClick: () => void;
}

function OneFile({ file, isEnded, isOnly, isBusy, onClick }: FileProps) {
  const text = useText('received');
  const formats = useFormats();
  const size = formats.size(file.size);
  const isReady = file.state === 'ready' && !isEnded;
  return (
    <FileRow
      name={file.filename}
      state={<FileState file={file} isEnded={isEnded} size={size} />}
      tone={isEnded ? 'plain' : file.downloaded_at !== null && isReady ? 'success' : toneOf(file)}
      actions={
        isReady ? (
          <Button
            size="small"
            variant={isOnly ? 'primary' : 'secondary'}
            icon={Download}
            isBusy={isBusy}
            aria-label={text('downloadName', { name: visibleText(file.filename), size })}
            onClick={onClick}
          >
            {text('download')}
          </Button>
        ) : undefined
      }
    />
  );
}

function toneOf({ state }: ReceivedFile): 'plain' | 'warning' {
  return state === 'used_up' || state === 'removed' ? 'warning' : 'plain';
}

function FileState({ file, isEnded, size }: { file: ReceivedFile; isEnded: boolean; size: string }) {
  const text = useText('received');
  const formats = useFormats();
  if (isEnded) return size;
  if (file.state === 'checking') return text('fileChecking', { size });
  if (file.state === 'used_up') return text('fileUsedUp', { size });
  if (file.state === 'removed') return text('fileRemoved', { size });
  if (file.downloaded_at !== null) return text('fileDownloaded', { size, time: formats.dateTime(file.downloaded_at) });
  return file.downloads_left === null ? size : text('fileLeft', { n: file.downloads_left, size });
}
