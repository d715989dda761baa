// User text made safe to look at: characters that hide or reorder others become visible marks.
// Escaping is React's; this file only splits text and never makes markup.

import { codePoint, splitAtHidden } from '#contract/hidden-characters.ts';

/** Scripts written from right to left, whose letters reorder what stands around them. */
export const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Text in pieces; a mark is the code point of a character that would not be seen, as `U+202E`. */
export function visiblePieces(value: string): { text: string; isMark: boolean }[] {
  return splitAtHidden(value)
    .map((text, place) => (place % 2 === 1 ? { text: codePoint(text), isMark: true } : { text, isMark: false }))
    .filter(({ text }) => text !== '');
}

/** The same for places without markup: titles and attributes. Right-to-left text is isolated from its surroundings. */
export function visibleText(value: string): string {
  const plain = visiblePieces(value)
    .map((piece) => (piece.isMark ? `[${piece.text}]` : piece.text))
    .join('');
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** A file name as stem and extension (with its dot), which is empty when there is none worth the word. */
export function splitFileName(fileName: string): { stem: string; extension: string } {
  const extension = /(?<=[^.])\.[A-Za-z0-9]{1,8}$/.exec(fileName)?.[0] ?? '';
  return { stem: fileName.slice(0, fileName.length - extension.length), extension };
}

/** Short text for a file's tile: its extension in capitals, or null when there is none that fits. */
export function extensionLabel(fileName: string): string | null {
  const { extension } = splitFileName(fileName);
  return extension.length >= 2 && extension.length <= 5 ? extension.slice(1).toUpperCase() : null;
}
