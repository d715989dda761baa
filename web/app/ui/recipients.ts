// Addresses as people type and paste them: `ben@harbour.example`, `Ben Okafor <ben@harbour.example>`, lists of both with
// commas, semicolons, spaces or lines between. Says what looks like an address; the server has the last word.

export interface Recipient {
  address: string;
  /** '' when unknown. */
  name: string;
}

/** Enough to catch a slip; a space may end an address once it looks finished. */
const looksRight = /^[^\s@<>"(),;:\\]+@[^\s@<>"(),;:\\]+$/;
const looksFinished = /^[^\s@]+@[^\s@]+\.[^\s@.]{2,}$/;

export function isAddress(text: string): boolean {
  return looksRight.test(text);
}

export function isFinishedAddress(text: string): boolean {
  return isAddress(text) && looksFinished.test(text);
}

/** Everything in a text that could be meant, mistakes included, so that people can see and fix them. */
export function readRecipients(text: string): Recipient[] {
  return splitList(text).flatMap(readEntry);
}

/** Without those that are there already; case does not make an address another one. */
export function addRecipients<Item extends Recipient>(now: readonly Item[], more: readonly Item[]): Item[] {
  const all = [...now];
  for (const one of more) {
    if (!all.some(({ address }) => address.toLowerCase() === one.address.toLowerCase())) all.push(one);
  }
  return all;
}

/** At commas, semicolons and ends of lines that are neither quoted nor inside angle brackets. */
function splitList(text: string): string[] {
  const entries: string[] = [''];
  let isQuoted = false;
  let isBracketed = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (character === '<' && !isQuoted) isBracketed = true;
    if (character === '>' && !isQuoted) isBracketed = false;
    const isEnd = !isQuoted && !isBracketed && /[,;\r\n\t]/.test(character);
    if (isEnd) entries.push('');
    else entries[entries.length - 1] += character;
  }
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
}

function readEntry(entry: string): Recipient[] {
  const named = /^(.*?)\s*<([^<>]*)>$/s.exec(entry);
  if (named) {
    const name = (named[1] ?? '')
      .replace(/^"(.*)"$/s, '$1')
      .replace(/\\(.)/g, '$1')
      .trim();
    return [{ address: (named[2] ?? '').trim().replace(/^mailto:/i, ''), name }];
  }
  const words = entry.split(/\s+/).map((word) => word.replace(/^mailto:/i, ''));
  // `a@b.example c@d.example` is two; `Ben Okafor` is one slip.
  if (words.length > 1 && words.every(isAddress)) return words.map((address) => ({ address, name: '' }));
  return [{ address: words.join(' '), name: '' }];
}
