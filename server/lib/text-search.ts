// Text search that ignores case, accents and the order of words.

export function foldText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** A blank query matches all. */
export function createWordMatcher(query: string): (texts: readonly string[]) => boolean {
  const words = foldText(query)
    .split(/\s+/u)
    .filter((word) => word !== '');
  return (texts) => {
    const folded = texts.map(foldText);
    return words.every((word) => folded.some((text) => text.includes(word)));
  };
}
