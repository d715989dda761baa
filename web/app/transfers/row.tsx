import { visibleText } from '../../visible.ts';
import { useText } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { FileRow } from '../ui/file-row.tsx';
import { Progress } from '../ui/progress.tsx';
import type { TransferFile } from './engine.ts';
import { transfers } from './transfers.ts';

/** States with a bar. */
const moving = new Set(['sending', 'retrying', 'waiting', 'paused', 'finishing', 'checking']);

export function TransferRow({ file, onRemoved }: { file: TransferFile; onRemoved?: () => void }) {
  const text = useText('upload');
  const { id, source, state, sentBytes } = file;
  const name = visibleText(source.name);
  const line = useStateLine(file);
  const isFailed = state === 'failed' || state === 'not-allowed';
  const isPaused = state === 'paused';
  const remove = () => {
    transfers().remove(id);
    onRemoved?.();
  };
  return (
    <FileRow
      name={source.name}
      state={line}
      tone={isFailed ? 'danger' : state === 'ready' ? 'success' : 'plain'}
      progress={
        moving.has(state) ? (
          <Progress
            share={source.sizeBytes === 0 ? 0 : sentBytes / source.sizeBytes}
            label={name}
            text={line}
            isPaused={isPaused}
            showsText={false}
          />
        ) : null
      }
      actions={
        <>
          {isPaused || state === 'failed' ? (
            <Button
              size="small"
              aria-label={text('upload.continueName', { file: name })}
              onClick={() => transfers().resume(id)}
            >
              {text('upload.continue')}
            </Button>
          ) : null}
          {!isPaused && moving.has(state) ? (
            <Button
              size="small"
              aria-label={text('upload.pauseName', { file: name })}
              onClick={() => transfers().pause(id)}
            >
              {text('upload.pause')}
            </Button>
          ) : null}
          <Button size="small" variant="quiet" aria-label={text('upload.removeName', { file: name })} onClick={remove}>
            {text('upload.remove')}
          </Button>
        </>
      }
    />
  );
}

function useStateLine({ state, source, sentBytes, sentence, reason }: TransferFile): string {
  const text = useText('upload');
  const { texts } = transfers();
  const size = texts.size(source.sizeBytes);
  const sent = texts.size(Math.floor(sentBytes));
  switch (state) {
    case 'queued':
      return text('upload.queued', { size });
    case 'checking':
      return text('upload.checking', { size });
    case 'sending':
      return text('upload.progress', { sent, size });
    case 'finishing':
      return text('upload.finishing', { size });
    case 'ready':
      return text('upload.ready', { size });
    case 'paused':
      return text('upload.pausedAt', { sent, size });
    case 'waiting':
      return text('upload.waiting', { sent, size });
    case 'retrying':
      return text('upload.retrying', { sent, size });
    default:
      if (sentence !== null) return sentence;
      return text(
        reason === 'differs' ? 'upload.differs' : reason === 'unreadable' ? 'upload.unreadable' : 'upload.refusedPlain',
      );
  }
}
