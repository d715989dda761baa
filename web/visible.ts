// User text made safe to look at: characters that hide or reorder others become visible marks.
// Escaping is React's; this file only splits text and never makes markup.

/** Bidirectional controls, C0/C1, and invisible characters that have no business in a name or a subject. */
const hidden =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]/u;
const everyHidden = new RegExp(`(${hidden.source})`, 'u');

/** Scripts written from right to left, whose letters reorder what stands around them. */
export const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Text in pieces; a mark is the code point of a character that would not be seen, as `U+202E`. */
export function visiblePieces(value: string): { text: string; isMark: boolean }[] {
  return value
    .toWellFormed()
    .split(everyHidden)
    .filter((piece) => piece !== '')
    .map((piece) => (hidden.test(piece) ? { text: codePoint(piece), isMark: true } : { text: piece, isMark: false }));
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

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
