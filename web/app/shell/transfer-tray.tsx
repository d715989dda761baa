// Omits files that the screen itself shows.

import { ChevronDown, ChevronUp, CircleAlert, CircleCheck, Pause, Upload } from 'lucide-react';
import { useState } from 'react';
import { useText } from '../texts.ts';
import type { TransferFile } from '../transfers/engine.ts';
import { TransferRow } from '../transfers/row.tsx';
import { isAllPaused, isRunning } from '../transfers/running.ts';
import { percentOf, transfers, useTransfers } from '../transfers/transfers.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { FileList } from '../ui/file-row.tsx';
import { Icon } from '../ui/icon.tsx';
import { Muted, Row } from '../ui/layout.tsx';
import { Notice } from '../ui/states.tsx';
import classes from './transfer-tray.module.css';

export function TransferTray() {
  const text = useText('upload');
  const { full } = useTransfers();
  const files = useFiles();
  const [isOpen, setOpen] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const running = files.filter(isRunning);
  const problems = files.filter(({ state }) => state === 'failed');
  if (running.length === 0 && problems.length === 0 && !isOpen) return null;
  const isPaused = isAllPaused(files);
  const cancelAll = () => {
    for (const { id } of running) transfers().remove(id);
    setAsking(false);
    setOpen(false);
  };
  return (
    <section className={classes.tray} aria-label={text('upload.tray')}>
      <button type="button" className={classes.pill} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <TrayStatus runningCount={running.length} problemCount={problems.length} isPaused={isPaused} />
        <Icon of={isOpen ? ChevronDown : ChevronUp} sizePx={18} />
      </button>
      {isOpen ? (
        <div className={classes.list}>
          {full === null ? null : <Notice tone="danger">{full}</Notice>}
          {files.length === 0 ? <Muted>{text('upload.trayEmpty')}</Muted> : null}
          <FileList label={text('upload.tray')}>
            {files.map((file) => (
              <TransferRow key={file.id} file={file} />
            ))}
          </FileList>
          {running.length === 0 ? null : (
            <Row>
              <Button size="small" onClick={() => (isPaused ? transfers().resume() : transfers().pause())}>
                {text(isPaused ? 'upload.goOn' : 'upload.pauseAll')}
              </Button>
              <Button size="small" variant="danger" onClick={() => setAsking(true)}>
                {text('upload.cancelAll')}
              </Button>
            </Row>
          )}
        </div>
      ) : null}
      {isAsking ? (
        <ConfirmDialog
          isDanger
          title={text('upload.cancelAllAsk')}
          cancelLabel={text('upload.keepSending')}
          confirmLabel={text('upload.cancelAll')}
          onConfirm={cancelAll}
          onClose={() => setAsking(false)}
        >
          {text('upload.cancelAllText')}
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

function useFiles(): TransferFile[] {
  const { files, shownElsewhere } = useTransfers();
  return files.filter(({ batch }) => !shownElsewhere.includes(batch));
}

function TrayStatus(props: { runningCount: number; problemCount: number; isPaused: boolean }) {
  const { runningCount, problemCount, isPaused } = props;
  const text = useText('upload');
  const files = useFiles();
  const [icon, status] =
    runningCount > 0 && isPaused
      ? [Pause, text('upload.trayPaused', { n: runningCount })]
      : runningCount > 0
        ? [Upload, text('upload.traySending', { n: runningCount, percent: percentOf(files) })]
        : problemCount > 0
          ? [CircleAlert, text('upload.trayProblem', { n: problemCount })]
          : [CircleCheck, text('upload.trayReady', { n: files.length })];
  return (
    <>
      <Icon of={icon} sizePx={18} /> {status}
    </>
  );
}
