// Looking for words in a text the way people expect: capitals, accents and the order of words do not matter.

/** The form in which texts are compared. */
export function foldText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** True for texts that have every word of the query in them, each anywhere. A blank query matches all. */
export function createWordMatcher(query: string): (texts: readonly string[]) => boolean {
  const words = foldText(query)
    .split(/\s+/u)
    .filter((word) => word !== '');
  return (texts) => {
    const folded = texts.map(foldText);
    return words.every((word) => folded.some((text) => text.includes(word)));
  };
}
