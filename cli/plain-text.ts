// Makes text from users and servers safe for terminals and pipes.
import { splitAtHidden } from '#contract/hidden-characters.ts';

/** C1 controls, directional controls, line separators and invisible characters. */
const beyondAscii =
  '\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';
const steeringInJson = new RegExp(`[${beyondAscii}]`, 'gu');

/** One line, with U+FFFD for characters that control a terminal or reorder text. */
export function plainText(text: string): string {
  return splitAtHidden(text)
    .map((piece, place) => (place % 2 === 1 ? '\u{fffd}' : piece))
    .join('');
}

/** Escapes them; JSON.stringify only escapes ASCII controls. */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(steeringInJson, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
