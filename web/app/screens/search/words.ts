// Words of a search in texts: ignores case and accents, as the server does.

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function wordsOf(q: string): string[] {
  return fold(q)
    .split(/\s+/u)
    .filter((word) => word !== '');
}

/** 0 if all words are in the title, 1 if some are in the other texts only, null if any is missing. */
export function rankOf(q: string, title: string, others: readonly string[]): 0 | 1 | null {
  const words = wordsOf(q);
  const folded = fold(title);
  if (words.every((word) => folded.includes(word))) return 0;
  const all = [title, ...others].map(fold);
  return words.every((word) => all.some((text) => text.includes(word))) ? 1 : null;
}

interface TextPart {
  text: string;
  isMatch: boolean;
}

/** The text in parts that match or do not. */
export function markWords(text: string, q: string): TextPart[] {
  const characters = [...text];
  // Folding may change the number of characters.
  const owners = characters.flatMap((character, index) => [...fold(character)].map(() => index));
  const folded = characters.flatMap((character) => [...fold(character)]);
  const isMatch = characters.map(() => false);
  for (const word of wordsOf(q)) {
    const letters = [...word];
    for (let start = 0; start + letters.length <= folded.length; start++)
      if (letters.every((letter, at) => folded[start + at] === letter))
        for (let at = 0; at < letters.length; at++) isMatch[owners[start + at]!] = true;
  }
  const parts: TextPart[] = [];
  for (const [index, character] of characters.entries()) {
    const last = parts.at(-1);
    if (last?.isMatch === isMatch[index]) last!.text += character;
    else parts.push({ text: character, isMatch: isMatch[index]! });
  }
  return parts;
}
