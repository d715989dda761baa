// New passwords must be long enough, not built from common guesses, without names. No rules about character classes.
import { COMMON_STEMS } from './common-passwords.ts';

export type PasswordRefusal = 'too_short' | 'too_long' | 'too_common' | 'contains_name';

export const MIN_PASSWORD_CHARS = 12;
export const MAX_PASSWORD_BYTES = 1024;

/** One random letter is one part. */
const MIN_PARTS = 6;
const MIN_NAME_CHARS = 4;
const MIN_DIFFERENT_CHARS = 5;
const LONGEST_STEM = Math.max(...[...COMMON_STEMS].map((stem) => stem.length));
const LONGEST_REPEAT = 32;

const SUBSTITUTES: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** The first with its shifted signs. */
const KEYBOARDS = [
  ['1234567890', 'qwertyuiop', 'asdfghjkl;', 'zxcvbnm,./'],
  ['1234567890', 'qwertzuiop', 'asdfghjkl;', 'yxcvbnm,.-'],
  ['1234567890', 'azertyuiop', 'qsdfghjklm', 'wxcvbn,;:!'],
  ['!@#$%^&*()'],
].map(positionsOf);

/** Null if accepted. `names`: of the person and the organisation. */
export function refusePassword(password: string, names: readonly string[] = []): PasswordRefusal | null {
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return 'too_long';
  const chars = [...password];
  if (chars.length < MIN_PASSWORD_CHARS) return 'too_short';
  const plain = chars.map((char) => char.toLowerCase());
  if (containsName(plain, names)) return 'contains_name';
  if (new Set(plain).size < MIN_DIFFERENT_CHARS) return 'too_common';
  return countParts(plain) < MIN_PARTS ? 'too_common' : null;
}

function containsName(plain: readonly string[], names: readonly string[]): boolean {
  const spellings = [lettersOf(plain.join('')), lettersOf(unsubstituted(plain).join(''))];
  return names
    .flatMap((name) => [name, ...name.split(/[\s@._-]+/)])
    .map((name) => lettersOf(name.toLowerCase()))
    .some((name) => [...name].length >= MIN_NAME_CHARS && spellings.some((spelling) => spelling.includes(name)));
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * The fewest unpredictable parts of the password: known words, sequences, keyboard lines, repeats and dates count
 * little; other characters count one each.
 */
function countParts(plain: readonly string[]): number {
  const text = unsubstituted(plain);
  const fewest = [0];
  const offer = (end: number, pieces: number) => {
    fewest[end] = Math.min(fewest[end] ?? Number.POSITIVE_INFINITY, pieces);
  };
  for (let start = 0; start < plain.length; start += 1) {
    const soFar = fewest[start]!;
    offer(start + 1, soFar + (/\d/.test(plain[start]!) ? 0.5 : 1));
    for (let end = start + 3; end <= start + runLength(plain, start); end += 1) offer(end, soFar + 1);
    for (const end of stemEnds(plain, text, start)) offer(end, soFar + 2);
    for (const end of repeatEnds(plain, start)) offer(end, soFar + 0.25);
    const date = dateLength(plain.slice(start, start + 8).join(''));
    if (date > 0) offer(start + date, soFar + 1);
    if (isSameSign(plain, start)) offer(start + 2, soFar + 1);
  }
  return fewest[plain.length]!;
}

/** The length of a sequence (`abc`, `321`), a repeated character or a keyboard line from here. */
function runLength(plain: readonly string[], start: number): number {
  const steps = [(a: string, b: string) => String(b.codePointAt(0)! - a.codePointAt(0)!), ...KEYBOARDS.map(stepOn)];
  return Math.max(...steps.map((step) => straightLength(plain, start, step)));
}

function straightLength(
  plain: readonly string[],
  start: number,
  step: (a: string, b: string) => string | null,
): number {
  if (start + 1 >= plain.length) return 1;
  const direction = step(plain[start]!, plain[start + 1]!);
  if (direction === null || !/^-?[01](?:,-?[01])?$/.test(direction)) return 1;
  let end = start + 2;
  while (end < plain.length && step(plain[end - 1]!, plain[end]!) === direction) end += 1;
  return end - start;
}

function stemEnds(plain: readonly string[], text: readonly string[], start: number): number[] {
  const ends: number[] = [];
  for (let end = start + 3; end <= Math.min(plain.length, start + LONGEST_STEM); end += 1) {
    const spellings = [plain.slice(start, end), text.slice(start, end)];
    const isKnown = spellings.some(
      (chars) => COMMON_STEMS.has(chars.join('')) || COMMON_STEMS.has(chars.toReversed().join('')),
    );
    if (isKnown) ends.push(end);
  }
  return ends;
}

function repeatEnds(plain: readonly string[], start: number): number[] {
  const ends: number[] = [];
  for (let length = 3; length <= Math.min(LONGEST_REPEAT, start, plain.length - start); length += 1) {
    const isCopy = plain.slice(start - length, start).every((char, index) => char === plain[start + index]);
    if (isCopy) ends.push(start + length);
  }
  return ends;
}

function dateLength(text: string): number {
  if (/^(?:(?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d|[0-3]\d(?:0\d|1[0-2])(?:19|20)\d\d)$/.test(text)) return 8;
  return /^(?:19|20)\d\d/.test(text) ? 4 : 0;
}

function isSameSign(plain: readonly string[], start: number): boolean {
  return plain[start] === plain[start + 1] && /[^\p{L}]/u.test(plain[start]!);
}

function unsubstituted(plain: readonly string[]): string[] {
  return plain.map((char) => (Object.hasOwn(SUBSTITUTES, char) ? SUBSTITUTES[char]! : char));
}

type Positions = ReadonlyMap<string, readonly [row: number, column: number]>;

function positionsOf(rows: readonly string[]): Positions {
  return new Map(rows.flatMap((keys, row) => [...keys].map((key, column) => [key, [row, column] as const])));
}

/** Null if a key is not on this keyboard. */
function stepOn(keyboard: Positions) {
  return (a: string, b: string): string | null => {
    const [from, to] = [keyboard.get(a), keyboard.get(b)];
    return from === undefined || to === undefined ? null : `${to[0] - from[0]},${to[1] - from[1]}`;
  };
}
