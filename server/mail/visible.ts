// Characters that hide or reorder others become visible marks.
import { codePoint, markHidden } from '#contract/hidden-characters.ts';

/** Overrides and isolates could reorder what follows. */
const hiddenInText =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u180e\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const lineBreak = /\r\n?|[\u0085\u2028\u2029]/g;

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The content of isolates cannot reorder its surroundings. */
const isolates = /[\u2068\u2069]/g;

/** Hidden characters become `[U+202E]`. */
export function visibleLine(value: string): string {
  const plain = value
    .toWellFormed()
    .replace(/[\r\n\t\u0085\u2028\u2029]+/g, ' ')
    .trim();
  const shown = markHidden(plain);
  return rightToLeft.test(shown) ? `\u2068${shown}\u2069` : shown;
}

/** Keeps line breaks and tabs, trims both ends. */
export function visibleText(value: string): string {
  return value.toWellFormed().replace(lineBreak, '\n').replace(hiddenInText, mark).trim();
}

/** Headers need no isolates, and some readers show them as boxes. */
export function withoutIsolates(value: string): string {
  return value.replace(isolates, '');
}

function mark(character: string): string {
  return `[${codePoint(character)}]`;
}
