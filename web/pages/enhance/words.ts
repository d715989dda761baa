// The sentences the page carries for its script, filled in for the reader's language; sizes, shares and times in words.
import { regional } from '#language/locale.ts';
import { sizeIn } from '#language/sizes.ts';
import type { ScriptTextKey } from '../script-texts.ts';
import { fill, type Piece } from './fill.ts';

export interface Words {
  say(key: ScriptTextKey, values?: Record<string, string | number>): string;
  size(bytes: number): string;
  /** `62%`; 100 only when everything is there. */
  percent(part: number, whole: number): string;
  /** `about 40 seconds left`, rounded so that it does not flicker. */
  left(seconds: number): string;
  list(items: string[]): string;
}

export function createWords(locale: string, messages: ReadonlyMap<string, Piece[]>): Words {
  const tag = regional(locale);
  const percents = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 0 });
  const lists = new Intl.ListFormat(tag, { type: 'disjunction' });
  const say: Words['say'] = (key, values = {}) => fill(messages.get(key) ?? [], tag, values);
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

/** From 0 to 1 in whole hundredths, rounded down: nothing is called done before it is. */
export function share(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.floor((Math.min(part, whole) / whole) * 100) / 100;
}

/** From the template the server has put into the page. */
export function readMessages(template: HTMLTemplateElement): Map<string, Piece[]> {
  const sentences = template.content.querySelectorAll<HTMLDataElement>('data');
  return new Map(Array.from(sentences, (sentence) => [sentence.value, JSON.parse(sentence.textContent ?? '[]')]));
}
