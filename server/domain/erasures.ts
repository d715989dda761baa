// A person who is being erased: what is looked for, and what takes its place. Pure: no I/O.

/** What finds a person, wherever something about them is stored. */
export interface ErasedPerson {
  userId: string;
  /** Every address that was theirs alone. */
  addresses: readonly string[];
  /** Their name; searched only in records about them, because other people may have the same name. */
  name: string;
}

export interface Erasure extends ErasedPerson {
  /** Replaces the account id: random and never shown. */
  id: string;
  /** What takes the place of each address, in their order. */
  substitutes: readonly string[];
  /** Events up to this number have been looked through. */
  sweptSeq: number;
  createdAt: number;
}

/** `.invalid` is reserved, so no mail can go there. */
export const erasedDomain = 'erased.invalid';

export function substituteAddress(random: string): string {
  return `erased-${random.toLowerCase()}@${erasedDomain}`;
}

/**
 * Does the text name one of these, in capitals or not? Only as a whole: ann@example.com is neither part of
 * joann@example.com nor of ann@example.com.au.
 */
export function namesAny(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.some((word) => findWord(lower, word.toLowerCase(), 0) >= 0);
}

const partBefore = /(?:[\p{L}\p{N}_%+-]|[\p{L}\p{N}]\.)$/u;
const partAfter = /^(?:[\p{L}\p{N}_-]|[.@][\p{L}\p{N}])/u;

/** Where a word is in a text, both in small letters; -1 when it is nowhere. */
function findWord(lower: string, word: string, from: number): number {
  // Of nothing there is no next place.
  if (word === '') return -1;
  for (let at = lower.indexOf(word, from); at >= 0; at = lower.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (!partBefore.test(lower.slice(Math.max(at - 4, 0), at)) && !partAfter.test(lower.slice(end, end + 4))) return at;
  }
  return -1;
}

function replaceWord(text: string, word: string, by: string): string {
  const lower = text.toLowerCase();
  // Small letters of another length, which few languages have: better all of it than a part.
  if (lower.length !== text.length) return namesAny(text, [word]) ? by : text;
  let replaced = '';
  let from = 0;
  for (;;) {
    const at = findWord(lower, word.toLowerCase(), from);
    if (at < 0) return replaced + text.slice(from);
    replaced += text.slice(from, at) + by;
    from = at + word.length;
  }
}

/** A text without what names the person; `isAboutThem`: their name goes, too. */
export function withoutWords(text: string, erasure: Erasure, isAboutThem = false): string {
  const { userId, id, addresses, substitutes, name } = erasure;
  let cleared = replaceWord(text, userId, id);
  for (const [index, address] of addresses.entries()) cleared = replaceWord(cleared, address, substitutes[index]!);
  if (name === '') return cleared;
  if (isAboutThem) return replaceWord(cleared, name, '…');
  return cleared === name ? '' : cleared;
}

/** The same for a document: every text in it, and no key of it. */
export function withoutPerson(value: unknown, erasure: Erasure): unknown {
  if (typeof value === 'string') return withoutWords(value, erasure);
  if (Array.isArray(value)) return value.map((each) => withoutPerson(each, erasure));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutPerson(each, erasure)]));
}
