export interface ErasedPerson {
  userId: string;
  /** Addresses that were theirs alone. */
  addresses: readonly string[];
  /** Searched only in records about them: other people may have the same name. */
  name: string;
}

export interface Erasure extends ErasedPerson {
  /** Random and never shown. */
  id: string;
  /** In the order of the addresses. */
  substitutes: readonly string[];
  /** Events up to this number are done. */
  sweptSeq: number;
  createdAt: number;
}

/** `.invalid` is reserved, so no mail can go there. */
export const erasedDomain = 'erased.invalid';

export function substituteAddress(random: string): string {
  return `erased-${random.toLowerCase()}@${erasedDomain}`;
}

/** As a whole, ignoring case: ann@example.com matches neither joann@example.com nor ann@example.com.au. */
export function namesAny(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.some((word) => findWord(lower, word.toLowerCase(), 0) >= 0);
}

const partBefore = /(?:[\p{L}\p{N}_%+-]|[\p{L}\p{N}]\.)$/u;
const partAfter = /^(?:[\p{L}\p{N}_-]|[.@][\p{L}\p{N}])/u;

/** Both in lower case; -1 if absent. */
function findWord(lower: string, word: string, from: number): number {
  if (word === '') return -1;
  for (let at = lower.indexOf(word, from); at >= 0; at = lower.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (!partBefore.test(lower.slice(Math.max(at - 4, 0), at)) && !partAfter.test(lower.slice(end, end + 4))) return at;
  }
  return -1;
}

function replaceWord(text: string, word: string, by: string): string {
  const lower = text.toLowerCase();
  // Lower case of a different length: replace all rather than a part.
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

/** `isAboutThem`: removes their name too. */
export function withoutWords(text: string, erasure: Erasure, isAboutThem = false): string {
  const { userId, id, addresses, substitutes, name } = erasure;
  let cleared = replaceWord(text, userId, id);
  for (const [index, address] of addresses.entries()) cleared = replaceWord(cleared, address, substitutes[index]!);
  if (name === '') return cleared;
  if (isAboutThem) return replaceWord(cleared, name, '…');
  return cleared === name ? '' : cleared;
}

/** Keys stay. */
export function withoutPerson(value: unknown, erasure: Erasure): unknown {
  if (typeof value === 'string') return withoutWords(value, erasure);
  if (Array.isArray(value)) return value.map((each) => withoutPerson(each, erasure));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutPerson(each, erasure)]));
}
