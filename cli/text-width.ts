// Columns that a text takes on a terminal, and texts that fit a number of columns.
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
const none = /\p{Mn}|\p{Me}|[\u200d\ufe0f]/u;

export function textWidth(text: string): number {
  // Plain ASCII, the usual case.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const letter of text) width += widthOf(letter);
  return width;
}

function widthOf(letter: string): number {
  if (none.test(letter)) return 0;
  return wide.test(letter) ? 2 : 1;
}

export function padded(text: string, width: number, isRight = false): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  return isRight ? space + text : text + space;
}

/** Shortens the end. */
export function cutEnd(text: string, width: number): string {
  return textWidth(text) <= width ? text : `${headOf([...text], width - 1)}…`;
}

/** Shortens the middle and keeps the extension. */
export function cutMiddle(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const letters = [...text];
  const tail = headOf(letters.toReversed(), Math.min(12, Math.floor(width / 2)));
  return `${headOf(letters, width - textWidth(tail) - 1)}…${[...tail].reverse().join('')}`;
}

function headOf(letters: readonly string[], width: number): string {
  let [head, left] = ['', width];
  for (const letter of letters) {
    left -= widthOf(letter);
    if (left < 0) break;
    head += letter;
  }
  return head;
}
