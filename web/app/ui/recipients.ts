// Parses lists of addresses as copied from mail programs and spreadsheets. Checks syntax only.

export interface Recipient {
  address: string;
  name: string;
}

/** Catches typing errors; a space ends an address once it matches. */
const addressPattern = /^[^\s@<>"(),;:\\]+@[^\s@<>"(),;:\\]+$/;
const finishedAddress = /^[^\s@]+@[^\s@]+\.[^\s@.]{2,}$/;

export function isAddress(text: string): boolean {
  return addressPattern.test(text);
}

export function isFinishedAddress(text: string): boolean {
  return isAddress(text) && finishedAddress.test(text);
}

/** Includes invalid entries, so that people can correct them. */
export function readRecipients(text: string): Recipient[] {
  return text
    .replace(unseen, '')
    .split(/[\r\n]+/)
    .flatMap(readLine);
}

/** Drops duplicates, ignoring case. */
export function addRecipients<Item extends Recipient>(now: readonly Item[], more: readonly Item[]): Item[] {
  const all = [...now];
  for (const one of more) {
    if (!all.some(({ address }) => address.toLowerCase() === one.address.toLowerCase())) all.push(one);
  }
  return all;
}

/** Invisible characters copied from pages would make it another address. */
const unseen = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Ignores other cells of a spreadsheet row. */
function readLine(line: string): Recipient[] {
  const cells = line.split('\t').map((cell) => cell.trim());
  const others = cells.filter((cell) => cell !== '' && !cell.includes('@'));
  if (others.length === 0 || others.length === cells.length) return cells.flatMap(readList);
  const found = cells.filter((cell) => cell.includes('@')).flatMap(readList);
  // With one address and one other cell, that cell is the name.
  const isNamed = found.length === 1 && others.length === 1 && found[0]?.name === '';
  return isNamed ? [{ ...found[0]!, name: nameOf(others[0]!) }] : found;
}

function readList(text: string): Recipient[] {
  const entries = splitList(text);
  return entries.flatMap(({ text, end }, index) => {
    // `Okafor, Ben <ben@harbour.example>`, as Outlook writes names.
    const isSurname = end === ',' && !text.includes('@') && bracketed.test(entries[index + 1]?.text ?? '');
    if (isSurname) return [];
    const before = entries[index - 1];
    const hasSurname = before?.end === ',' && !before.text.includes('@') && bracketed.test(text);
    return readEntry(hasSurname ? `${before.text}, ${text}` : text);
  });
}

/** An address after a name. */
const bracketed = /^(.*?)\s*<([^<>]*)>$/s;

/** Splits at commas and semicolons outside quotes and brackets, and after a closing bracket. */
function splitList(text: string): { text: string; end: string }[] {
  const entries = [{ text: '', end: '' }];
  let isQuoted = false;
  let isBracketed = false;
  for (const character of text) {
    const entry = entries.at(-1)!;
    // A quotation mark inside a word is part of it.
    if (character === '"' && (isQuoted || entry.text.trim() === '')) isQuoted = !isQuoted;
    if (character === '<' && !isQuoted) isBracketed = true;
    const isClosing = character === '>' && isBracketed;
    if (isClosing) isBracketed = false;
    const isEnd = !isQuoted && !isBracketed && /[,;]/.test(character);
    if (!isEnd) entry.text += character;
    if (isEnd) entry.end = character;
    if (isEnd || isClosing) entries.push({ text: '', end: '' });
  }
  return entries.map((entry) => ({ ...entry, text: entry.text.trim() })).filter(({ text }) => text !== '');
}

function readEntry(entry: string): Recipient[] {
  const named = bracketed.exec(entry);
  if (named) return [{ address: plainAddress(named[2]!.trim()), name: nameOf(named[1]!) }];
  const words = entry.split(/\s+/).map(plainAddress);
  // `a@b.example c@d.example` is two; `Ben Okafor` is one error.
  if (words.length > 1 && words.every(isAddress)) return words.map((address) => ({ address, name: '' }));
  return [{ address: words.join(' '), name: '' }];
}

function plainAddress(word: string): string {
  return unquoted(word).replace(/^mailto:/i, '');
}

/** Omits an address as its own name. */
function nameOf(text: string): string {
  const name = unquoted(text.trim()).replace(/\\(.)/g, '$1').trim();
  return isAddress(name) ? '' : name;
}

/** Outlook also writes `'ben@harbour.example'`. */
function unquoted(text: string): string {
  return text.replace(/^(["'])(.*)\1$/s, '$2');
}
