import type { RateMeter } from '../../../transfer/rate.ts';
import { type FileStatus, isOver, type Totals } from '../../../transfer/states.ts';
import { share } from '../../uploads/upload-texts.ts';
import { createWakeLock } from '../../uploads/wake-lock.ts';
import type { Texts } from './texts.ts';

export interface Total {
  update(files: FileStatus[], totals: Totals, meter: RateMeter): void;
  isPaused(): boolean;
  secondsLeft(): number | null;
}

/** So that the text can be read. */
const textEveryMs = 1_000;

export function createTotal(area: HTMLElement, texts: Texts): Total {
  const strip = area.querySelector<HTMLElement>('[data-total]')!;
  const text = strip.querySelector<HTMLElement>('[data-total-text]')!;
  const bar = strip.querySelector<HTMLProgressElement>('[data-total-bar]')!;
  const pause = strip.querySelector<HTMLButtonElement>('[data-act="pause-all"]')!;
  const title = document.title;
  const wake = createWakeLock();
  let isPaused = false;
  let secondsLeft: number | null = null;
  let isMoving = false;
  let latest: { totals: Totals; meter: RateMeter } | null = null;
  let isDue = false;

  const write = () => {
    isDue = false;
    if (latest === null) return;
    const { totals, meter } = latest;
    const { sentBytes, totalBytes } = totals;
    const estimate = isMoving ? meter.estimate(totalBytes - sentBytes) : null;
    secondsLeft = estimate?.secondsLeft ?? null;
    const percent = texts.percent(sentBytes, totalBytes);
    const sizes = { percent, sent: texts.size(Math.floor(sentBytes)), size: texts.size(totalBytes) };
    if (estimate === null) text.textContent = texts.say('upload.total', sizes);
    else {
      const rate = { rate: texts.size(estimate.bytesPerSecond), left: texts.left(estimate.secondsLeft) };
      const key = estimate.isSlower ? 'upload.totalSlower' : 'upload.totalLeft';
      text.textContent = texts.say(key, { ...sizes, ...rate });
    }
    bar.setAttribute('aria-valuetext', text.textContent);
    document.title = texts.say('upload.title', { percent, title });
  };

  return {
    isPaused: () => isPaused,
    secondsLeft: () => secondsLeft,
    update(files, totals, meter) {
      const open = files.filter(({ state }) => !isOver(state));
      isPaused = open.length > 0 && open.every(({ state }) => state === 'paused');
      strip.hidden = open.length === 0;
      bar.value = share(totals.sentBytes, totals.totalBytes);
      pause.textContent = texts.say(isPaused ? 'upload.goOn' : 'upload.pauseAll');
      wake.hold(open.length > 0 && !isPaused);
      const wasMoving = isMoving;
      isMoving = open.some(({ state }) => state === 'sending' || state === 'finishing');
      latest = open.length === 0 ? null : { totals, meter };
      if (latest === null) document.title = title;
      else if (isMoving !== wasMoving) write();
      else if (!isDue) {
        isDue = true;
        setTimeout(write, textEveryMs);
      }
    },
  };
}
