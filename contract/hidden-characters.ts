// Invisible characters and those that reorder text. Names of people, groups and the organisation must not
// have any, because different names would look the same. Where such a name is shown all the same, each is
// replaced by a mark.

/** Controls, directional and zero-width characters, fillers, tags, and code points reserved for more of them. */
const hidden =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ud800-\\udfff\\ufeff\\uffa0\\ufff0-\\ufffb' +
  '\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}';

/**
 * Between their letters, zero-width joiners and non-joiners change what is seen: they are part of spelling. Arabic, Syriac
 * and N'Ko; the scripts of India, Tibet and Myanmar; Khmer and Mongolian.
 */
const joined = '\\u0600-\\u07ff\\u0900-\\u109f\\u1780-\\u18af';
/** Joiners also make one picture of several. */
const pictures = '\\p{Extended_Pictographic}\\ufe0f\\u{1f3fb}-\\u{1f3ff}';

const joinersOutside = (neighbours: string) =>
  `(?<![${neighbours}])[\\u200c\\u200d]|[\\u200c\\u200d](?![${neighbours}])`;

const shown = new RegExp(`([${hidden}]|${joinersOutside(joined + pictures)})`, 'u');

/** The first character that a name must not have, as `U+202E`; null when there is none. */
export function hiddenInName(name: string): string | null {
  // Created on use, because browsers load this file without using it.
  const found = new RegExp(`[${hidden}]|${joinersOutside(joined)}`, 'u').exec(name);
  return found === null ? null : codePoint(found[0]);
}

/** The text between hidden characters, and at each odd place one of them. */
export function splitAtHidden(text: string): string[] {
  return text.toWellFormed().split(shown);
}

/** With `[U+202E]` in place of a hidden character. */
export function markHidden(text: string): string {
  return splitAtHidden(text)
    .map((piece, place) => (place % 2 === 1 ? `[${codePoint(piece)}]` : piece))
    .join('');
}

/** `U+202E`. */
export function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
