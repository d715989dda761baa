// Makes hidden characters of user text visible. Returns text, never markup.

import { codePoint, splitAtHidden } from '#contract/hidden-characters.ts';

/** They reorder the text around them. */
export const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** A mark is the code point of a hidden character, as `U+202E`. */
export function visibleParts(value: string): { text: string; isMark: boolean }[] {
  return splitAtHidden(value)
    .map((text, place) => (place % 2 === 1 ? { text: codePoint(text), isMark: true } : { text, isMark: false }))
    .filter(({ text }) => text !== '');
}

/** Isolates right-to-left text; for titles and attributes. */
export function visibleText(value: string): string {
  const plain = visibleParts(value)
    .map((part) => (part.isMark ? `[${part.text}]` : part.text))
    .join('');
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** The extension is empty when it is unusable. */
export function splitFileName(fileName: string): { stem: string; extension: string } {
  const extension = /(?<=[^.])\.[A-Za-z0-9]{1,8}$/.exec(fileName)?.[0] ?? '';
  return { stem: fileName.slice(0, fileName.length - extension.length), extension };
}

/** Capitals for a file's tile; null when none fits. */
export function extensionLabel(fileName: string): string | null {
  const { extension } = splitFileName(fileName);
  return extension.length >= 2 && extension.length <= 5 ? extension.slice(1).toUpperCase() : null;
}
