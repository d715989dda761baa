// Formats sizes in the reader's language.
import { humanSize } from '#contract/sizes.ts';
import { regional } from './locale.ts';

/** `48,2 MB` in German, `48,2 Mo` in French. */
export function sizeIn(locale: string, bytes: number): string {
  return localSize(locale, humanSize(bytes));
}

/** `english` as written by `humanSize`; other texts stay unchanged. */
export function localSize(locale: string, english: string): string {
  const [, figure, unit] = /^(\d+(?:\.\d)?) (B|KB|MB|GB|TB|PB)$/.exec(english) ?? [];
  if (figure === undefined || unit === undefined || locale === 'en' || locale.startsWith('en-')) return english;
  const digits = figure.includes('.') ? 1 : 0;
  const number = new Intl.NumberFormat(regional(locale), {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
  });
  return `${number.format(Number(figure))}\u00a0${unitsOf(locale)[unit] ?? unit}`;
}

/** Most languages write the units as English does. */
function unitsOf(locale: string): Record<string, string> {
  return locale.startsWith('fr') ? { B: 'o', KB: 'Ko', MB: 'Mo', GB: 'Go', TB: 'To', PB: 'Po' } : {};
}
