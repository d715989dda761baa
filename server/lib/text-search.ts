// Text search that ignores case, accents and the order of words.

export function foldText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function wordsOf(query: string): string[] {
  return foldText(query)
    .split(/\s+/u)
    .filter((word) => word !== '');
}

/** A blank query matches all. */
export function createWordMatcher(query: string): (texts: readonly string[]) => boolean {
  const words = wordsOf(query);
  return (texts) => {
    const folded = texts.map(foldText);
    return words.every((word) => folded.some((text) => text.includes(word)));
  };
}

/** For the order of results: 0 if all words are in the title, 1 if in it, in names or before the @, 2 if some are elsewhere. */
export function createWordRanking(query: string): (title: string, people: readonly string[]) => 0 | 1 | 2 {
  const words = wordsOf(query);
  const isIn = (texts: readonly string[]) => {
    const folded = texts.map(foldText);
    return words.every((word) => folded.some((text) => text.includes(word)));
  };
  return (title, people) => {
    if (isIn([title])) return 0;
    return isIn([title, ...people.map((person) => person.replace(/@.*$/u, ''))]) ? 1 : 2;
  };
}
