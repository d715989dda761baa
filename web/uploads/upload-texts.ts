import { regional } from '#language/locale.ts';
import { sizeIn } from '#language/sizes.ts';

/** Both catalogues use these keys. */
export type UploadTextKey =
  | 'upload.added'
  | 'upload.sending'
  | 'upload.quarter'
  | 'upload.quarterLeft'
  | 'upload.offlineSaid'
  | 'upload.onlineSaid'
  | 'upload.pausedSaid'
  | 'upload.resumedSaid'
  | 'upload.allReady'
  | 'upload.secondsLeft'
  | 'upload.minutesLeft'
  | 'upload.hoursLeft'
  | 'upload.empty'
  | 'upload.duplicate'
  | 'upload.typeBlocked'
  | 'upload.typeNotPermitted'
  | 'upload.tooMuch'
  | 'upload.tooMany';

export interface UploadTexts<Key extends string = UploadTextKey> {
  say(key: Key, values?: Record<string, string | number>): string;
  size(bytes: number): string;
  /** 100 only when everything has arrived. */
  percent(part: number, whole: number): string;
  /** Rounded to change rarely. */
  left(seconds: number): string;
  list(items: string[]): string;
}

export function createUploadTexts<Key extends string>(
  locale: string,
  say: UploadTexts<Key | UploadTextKey>['say'],
): UploadTexts<Key> {
  const percents = new Intl.NumberFormat(regional(locale), { style: 'percent', maximumFractionDigits: 0 });
  const lists = new Intl.ListFormat(regional(locale), { type: 'disjunction' });
  return {
    say,
    size: (bytes) => sizeIn(locale, bytes),
    percent: (part, whole) => percents.format(share(part, whole)),
    left(seconds) {
      if (seconds < 55) return say('upload.secondsLeft', { n: Math.max(5, Math.ceil(seconds / 5) * 5) });
      if (seconds < 55 * 60) return say('upload.minutesLeft', { n: Math.max(1, Math.round(seconds / 60)) });
      return say('upload.hoursLeft', { n: Math.max(1, Math.round(seconds / 3600)) });
    },
    list: (items) => lists.format(items),
  };
}

/** Rounded down to hundredths, so that 1 means done. */
export function share(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.floor((Math.min(part, whole) / whole) * 100) / 100;
}
