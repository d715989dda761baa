// The building blocks of mails. They hold text, and HTML only if cleaned (lib/rich-text.ts).

export interface MailFile {
  name: string;
  sizeBytes: number;
  /** Hex, lower case. */
  sha256: string;
}

/** `label: value` in a list, or a sentence with at most one strong part. */
export type Fact = { label: string; value: string } | { sentence: string; strong?: string };

export interface Entry {
  title: string;
  detail: string;
}

export interface Quote {
  type: 'quote';
  by: string;
  address: string | null;
  text: string;
  /** Cleaned HTML, for the HTML part only. */
  html?: string | null;
  /** The text continues behind the link. */
  isCut?: boolean;
}

export type Block =
  | { type: 'paragraph'; text: string }
  | { type: 'notice'; tone: 'info' | 'warning'; text: string }
  | { type: 'code'; code: string }
  | Quote
  | { type: 'files'; files: MailFile[]; withChecksums: boolean }
  | { type: 'entries'; entries: Entry[] }
  | { type: 'button'; label: string; url: string }
  | { type: 'link'; label: string; url: string }
  | { type: 'facts'; facts: Fact[] };

/** Longer lists show 8 and the number of the others. */
const LONGEST_FULL_LIST = 10;
const SHOWN_OF_LONGER = 8;

export function shorten<T>(items: T[]): { shown: T[]; more: number } {
  if (items.length <= LONGEST_FULL_LIST) return { shown: items, more: 0 };
  return { shown: items.slice(0, SHOWN_OF_LONGER), more: items.length - SHOWN_OF_LONGER };
}

export function sentencesOf(facts: Fact[]): { before: string; strong: string; after: string }[] {
  return facts
    .filter((fact) => 'sentence' in fact)
    .map(({ sentence, strong = '' }) => {
      const at = strong === '' ? -1 : sentence.indexOf(strong);
      if (at < 0) return { before: sentence, strong: '', after: '' };
      return { before: sentence.slice(0, at), strong, after: sentence.slice(at + strong.length) };
    });
}

/** Measured as HTML, which is longer. */
export function cutQuotes(blocks: Block[], maxBytes: number): Block[] {
  return blocks.map((block) => (block.type === 'quote' ? cutQuote(block, maxBytes) : block));
}

/** Cut HTML would be incomplete, so it becomes plain text. */
function cutQuote(whole: Quote, maxBytes: number): Quote {
  const isHtmlTooLong = whole.html != null && Buffer.byteLength(whole.html) > maxBytes;
  const quote: Quote = isHtmlTooLong ? { ...whole, html: null } : whole;
  let bytes = 0;
  let end = 0;
  for (const character of quote.text) {
    bytes += escapedBytes(character);
    if (bytes > maxBytes) return { ...quote, text: `${quote.text.slice(0, end).trimEnd()} …`, html: null, isCut: true };
    end += character.length;
  }
  return quote;
}

function escapedBytes(character: string): number {
  return /[<>&"'\n]/.test(character) ? 5 : Buffer.byteLength(character);
}
