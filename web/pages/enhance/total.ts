// The bar over all files, the percentage in the tab's title, and the screen that stays on while something travels.
import type { RateMeter } from '../../../transfer/rate.ts';
import { type FileStatus, isOver, type Totals } from '../../../transfer/states.ts';
import { share, type Words } from './words.ts';

export interface Total {
  update(files: FileStatus[], totals: Totals, meter: RateMeter): void;
  isPaused(): boolean;
  secondsLeft(): number | null;
}

/** The words change at most so often, or nobody could read them. */
const wordsEveryMs = 1_000;

export function createTotal(area: HTMLElement, words: Words): Total {
  const strip = area.querySelector<HTMLElement>('[data-total]')!;
  const text = strip.querySelector<HTMLElement>('[data-total-text]')!;
  const bar = strip.querySelector<HTMLProgressElement>('[data-total-bar]')!;
  const pause = strip.querySelector<HTMLButtonElement>('[data-act="pause-all"]')!;
  const title = document.title;
  const wake = createWakeLock();
  let isPaused = false;
  let secondsLeft: number | null = null;
  let writtenAt = Number.NEGATIVE_INFINITY;

  const write = (totals: Totals, meter: RateMeter) => {
    const { sentBytes, totalBytes } = totals;
    const estimate = isPaused ? null : meter.estimate(totalBytes - sentBytes);
    secondsLeft = estimate?.secondsLeft ?? null;
    const percent = words.percent(sentBytes, totalBytes);
    const sizes = { percent, sent: words.size(Math.floor(sentBytes)), size: words.size(totalBytes) };
    if (estimate === null) text.textContent = words.say('upload.total', sizes);
    else {
      const rate = { rate: words.size(estimate.bytesPerSecond), left: words.left(estimate.secondsLeft) };
      const key = estimate.isSlower ? 'upload.totalSlower' : 'upload.totalLeft';
      text.textContent = words.say(key, { ...sizes, ...rate });
    }
    bar.setAttribute('aria-valuetext', text.textContent);
    document.title = words.say('upload.title', { percent, title });
  };

  return {
    isPaused: () => isPaused,
    secondsLeft: () => secondsLeft,
    update(files, totals, meter) {
      const open = files.filter(({ state }) => !isOver(state));
      const wasPaused = isPaused;
      isPaused = open.length > 0 && open.every(({ state }) => state === 'paused');
      strip.hidden = open.length === 0;
      bar.value = share(totals.sentBytes, totals.totalBytes);
      pause.textContent = words.say(isPaused ? 'upload.goOn' : 'upload.pauseAll');
      wake.hold(open.length > 0 && !isPaused);
      if (open.length === 0) {
        document.title = title;
        return;
      }
      if (performance.now() - writtenAt < wordsEveryMs && wasPaused === isPaused) return;
      writtenAt = performance.now();
      write(totals, meter);
    },
  };
}

/** Phones otherwise fall asleep in the middle of a file. Where it is not to be had, nothing happens. */
function createWakeLock(): { hold(isWanted: boolean): void } {
  let lock: Promise<WakeLockSentinel | null> | null = null;
  return {
    hold(isWanted) {
      if (isWanted && lock === null) lock = navigator.wakeLock?.request('screen').catch(() => null) ?? null;
      if (!isWanted && lock !== null) {
        void lock.then((held) => held?.release());
        lock = null;
      }
    },
  };
}
