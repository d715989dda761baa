// State changes immediately, progress at each quarter of the total and at most every ten seconds.
import type { TransferEvent } from '../../transfer/states.ts';
import type { UploadTexts } from './upload-texts.ts';

/** The live regions of the document. */
export interface Announcer {
  say(sentence: string): void;
  /** Interrupts: only for refused or lost files. */
  warn(sentence: string): void;
}

export interface UploadTotals {
  sentBytes: number;
  totalBytes: number;
  fileCount: number;
  readyCount: number;
  secondsLeft: number | null;
}

export interface UploadAnnouncements {
  added(fileCount: number, totalBytes: number): void;
  refused(sentences: string[]): void;
  paused(): void;
  resumed(): void;
  handle(event: TransferEvent, totals: UploadTotals): void;
}

const quietMs = 10_000;
const quarters = [75, 50, 25];

export function createUploadAnnouncements(
  announcer: Announcer,
  texts: UploadTexts,
  now: () => number,
): UploadAnnouncements {
  const { say } = texts;
  let lastQuarter = 0;
  let lastProgressAt = Number.NEGATIVE_INFINITY;
  let isRunning = false;

  const progress = (totals: UploadTotals) => {
    const percent = totals.totalBytes === 0 ? 0 : (totals.sentBytes / totals.totalBytes) * 100;
    const quarter = quarters.find((mark) => percent >= mark) ?? 0;
    if (quarter <= lastQuarter || percent >= 100) return;
    if (now() - lastProgressAt < quietMs) return;
    lastQuarter = quarter;
    lastProgressAt = now();
    const left = totals.secondsLeft === null ? null : texts.left(totals.secondsLeft);
    announcer.say(
      left === null
        ? say('upload.quarter', { percent: quarter })
        : say('upload.quarterLeft', { percent: quarter, left }),
    );
  };

  return {
    added(fileCount, totalBytes) {
      lastQuarter = 0; // starts again with a new total
      announcer.say(say('upload.added', { n: fileCount, size: texts.size(totalBytes) }));
    },
    refused(sentences) {
      if (sentences.length > 0) announcer.warn(sentences.join(' '));
    },
    paused: () => announcer.say(say('upload.pausedSaid')),
    resumed: () => announcer.say(say('upload.resumedSaid')),
    handle(event, totals) {
      if (event.is === 'offline') announcer.say(say('upload.offlineSaid'));
      if (event.is === 'online') announcer.say(say('upload.onlineSaid'));
      if (event.is === 'progress') progress(totals);
      if (event.is !== 'state') return;
      if (event.file.state === 'sending' && !isRunning) {
        isRunning = true;
        lastProgressAt = now();
        announcer.say(say('upload.sending', { n: totals.fileCount - totals.readyCount }));
      }
      if (event.file.state === 'ready' && totals.readyCount === totals.fileCount) {
        isRunning = false;
        lastQuarter = 0;
        announcer.say(say('upload.allReady'));
      }
    },
  };
}
