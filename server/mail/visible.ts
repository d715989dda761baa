// Text from people made safe to read: characters that hide or reorder others become visible marks. Every string of a
// payload passes here before anything else sees it, so no control character reaches a header, a template or a layout.
import { codePoint, markHidden } from '#contract/hidden-characters.ts';

/** Longer text may hold direction marks and joiners; overrides and isolates could still turn its end around. */
const hiddenInText =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u180e\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const lineBreak = /\r\n?|[\u0085\u2028\u2029]/g;

/** Scripts written from right to left, whose letters reorder the text around them. */
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** First-strong isolate and its end: what is inside cannot reorder what is outside. Only ever added here. */
const isolates = /[\u2068\u2069]/g;

/** One line: a name, an address, a subject. Breaks and tabs become spaces, what is hidden becomes `[U+202E]`. */
export function visibleLine(value: string): string {
  const plain = value
    .toWellFormed()
    .replace(/[\r\n\t\u0085\u2028\u2029]+/g, ' ')
    .trim();
  const shown = markHidden(plain);
  return rightToLeft.test(shown) ? `\u2068${shown}\u2069` : shown;
}

/** Several lines, as a person wrote them: line breaks and tabs stay, blank space at both ends goes. */
export function visibleText(value: string): string {
  return value.toWellFormed().replace(lineBreak, '\n').replace(hiddenInText, mark).trim();
}

/** For headers, whose readers need no isolates and some of which draw boxes for them. */
export function withoutIsolates(value: string): string {
  return value.replace(isolates, '');
}

function mark(character: string): string {
  return `[${codePoint(character)}]`;
}
