// What is said aloud while files travel: state changes at once, progress only at the quarters of the whole and never
// more often than every ten seconds. Decides words and moments; the announcer speaks.
import type { TransferEvent } from '../../transfer/states.ts';
import type { Words } from './words.ts';

/** Speaks through the live regions of the document. */
export interface Announcer {
  say(sentence: string): void;
  /** Interrupts: only for something refused or lost. */
  warn(sentence: string): void;
}

export interface Whole {
  sentBytes: number;
  totalBytes: number;
  fileCount: number;
  readyCount: number;
  secondsLeft: number | null;
}

export interface Narrator {
  added(fileCount: number, totalBytes: number): void;
  refused(sentences: string[]): void;
  paused(): void;
  resumed(): void;
  hear(event: TransferEvent, whole: Whole): void;
}

const quietMs = 10_000;
const quarters = [75, 50, 25];

export function createNarrator(announcer: Announcer, words: Words, now: () => number): Narrator {
  const { say } = words;
  let lastQuarter = 0;
  let lastProgressAt = Number.NEGATIVE_INFINITY;
  let isUnderWay = false;

  const progress = (whole: Whole) => {
    const percent = whole.totalBytes === 0 ? 0 : (whole.sentBytes / whole.totalBytes) * 100;
    const quarter = quarters.find((mark) => percent >= mark) ?? 0;
    if (quarter <= lastQuarter || percent >= 100) return;
    if (now() - lastProgressAt < quietMs) return;
    lastQuarter = quarter;
    lastProgressAt = now();
    const left = whole.secondsLeft === null ? null : words.left(whole.secondsLeft);
    announcer.say(
      left === null
        ? say('upload.quarter', { percent: quarter })
        : say('upload.quarterLeft', { percent: quarter, left }),
    );
  };

  return {
    added(fileCount, totalBytes) {
      lastQuarter = 0; // a new whole
      announcer.say(say('upload.added', { n: fileCount, size: words.size(totalBytes) }));
    },
    refused(sentences) {
      if (sentences.length > 0) announcer.warn(sentences.join(' '));
    },
    paused: () => announcer.say(say('upload.pausedSaid')),
    resumed: () => announcer.say(say('upload.resumedSaid')),
    hear(event, whole) {
      if (event.is === 'offline') announcer.say(say('upload.offlineSaid'));
      if (event.is === 'online') announcer.say(say('upload.onlineSaid'));
      if (event.is === 'progress') progress(whole);
      if (event.is !== 'state') return;
      if (event.file.state === 'sending' && !isUnderWay) {
        isUnderWay = true;
        lastProgressAt = now();
        announcer.say(say('upload.sending', { n: whole.fileCount - whole.readyCount }));
      }
      if (event.file.state === 'ready' && whole.readyCount === whole.fileCount) {
        isUnderWay = false;
        lastQuarter = 0;
        announcer.say(say('upload.allReady'));
      }
    },
  };
}
