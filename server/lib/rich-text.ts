// Cleans formatted text to a short list of harmless elements; the text of others stays.
import sanitizeHtml from 'sanitize-html';

const allowedTags = [
  ...['p', 'br', 'b', 'strong', 'i', 'em', 'u', 'a', 'span'],
  ...['ul', 'ol', 'li', 'blockquote', 'h1', 'h2', 'h3', 'h4'],
];

/** Elements whose content is no text for people. */
const nonTextTags = [
  ...['script', 'style', 'textarea', 'option', 'noscript', 'template', 'title', 'head'],
  ...['iframe', 'object', 'embed', 'svg', 'math', 'xmp', 'noembed', 'noframes', 'plaintext'],
];

/** Readers of the result may be recursive; the text of deeper elements stays. */
const maxDepth = 24;

/** The work grows with the square of the open tags; this many take some milliseconds. */
const maxTags = 5000;

const allowedLink = /^(?:https?:\/\/|mailto:)[^\s"'<>\\]+$/i;

/** False for text with a lone `<`. */
export function looksFormatted(text: string): boolean {
  return new RegExp(`<(?:${allowedTags.join('|')})(?:\\s[^<>]*)?/?>`, 'i').test(text);
}

/** Well-formed HTML with `href` as the only attribute. Idempotent. Null beyond the limit. */
export function cleanRichText(html: string): string | null {
  if (html.split('<', maxTags + 2).length > maxTags + 1) return null;
  return sanitizeHtml(html, {
    allowedTags,
    nonTextTags,
    allowedAttributes: { a: ['href', 'rel'] },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowProtocolRelative: false,
    nestingLimit: maxDepth,
    parseStyleAttributes: false,
    transformTags: {
      a: (tagName, { href }): sanitizeHtml.Tag =>
        href !== undefined && allowedLink.test(href)
          ? { tagName, attribs: { href, rel: 'noopener noreferrer nofollow' } }
          : { tagName: 'span', attribs: {} },
    },
  }).trim();
}

/** Paragraphs, lists and quotes become lines and marks; addresses follow the text of links. */
export function plainOfRichText(cleaned: string): string {
  const writer = createWriter();
  // Cleaned HTML has `<` and `>` only in its own tags.
  for (const [token, closing, tag, attributes] of cleaned.matchAll(/<(\/?)([a-z][a-z0-9]*)([^>]*)>|[^<]+/g)) {
    if (tag === undefined) writer.text(decode(token));
    else if (closing === '/') writer.close(tag);
    else writer.open(tag, decode(/href="([^"]*)"/.exec(attributes!)?.[1] ?? ''));
  }
  return writer.end();
}

function decode(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll('\u00a0', ' ');
}

const paragraphs = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'ul', 'ol', 'blockquote']);

/** The lines of one quote, or outside of all. */
interface Level {
  lines: string[];
  line: string;
}

function endLine(level: Level): void {
  level.lines.push(level.line.trimEnd());
  level.line = '';
}

/** Appends the address of a link unless its text is the same. */
function endLink(level: Level, link: { href: string; lineNumber: number; start: number } | undefined): void {
  if (link === undefined || link.href === '') return;
  const words = link.lineNumber === level.lines.length ? level.line.slice(link.start).trim() : '';
  if (words !== link.href && `mailto:${words}` !== link.href) level.line += ` (${link.href.replace(/^mailto:/, '')})`;
}

function createWriter() {
  const levels: Level[] = [{ lines: [], line: '' }];
  /** Null for unordered lists. */
  const lists: (number | null)[] = [];
  const links: { href: string; lineNumber: number; start: number }[] = [];
  const level = () => levels.at(-1)!;
  const endParagraph = () => {
    const here = level();
    // The mark of an item stays with its words.
    if (/^ *(?:-|\d+\.) $/.test(here.line)) return;
    if (here.line.trim() !== '') endLine(here);
    here.line = '';
    if (lists.length === 0 && (here.lines.at(-1) ?? '') !== '') here.lines.push('');
  };
  const openItem = () => {
    if (level().line.trim() !== '') endLine(level());
    const number = lists.at(-1) ?? null;
    if (number !== null) lists[lists.length - 1] = number + 1;
    level().line = `${'  '.repeat(Math.max(lists.length - 1, 0))}${number === null ? '-' : `${number + 1}.`} `;
  };
  const closeQuote = () => {
    endParagraph();
    const quoted = withoutBlankEnds(levels.pop()!.lines);
    level().lines.push(...quoted.map((line) => (line === '' ? '>' : `> ${line}`)));
  };
  return {
    text(words: string) {
      const here = level();
      const joined = words.replace(/\s+/g, ' ');
      here.line += here.line === '' || here.line.endsWith(' ') ? joined.trimStart() : joined;
    },
    open(tag: string, href: string) {
      if (tag === 'br') endLine(level());
      if (paragraphs.has(tag)) endParagraph();
      if (tag === 'ul') lists.push(null);
      if (tag === 'ol') lists.push(0);
      if (tag === 'li') openItem();
      if (tag === 'a') links.push({ href, lineNumber: level().lines.length, start: level().line.length });
      if (tag === 'blockquote') levels.push({ lines: [], line: '' });
    },
    close(tag: string) {
      if (tag === 'a') endLink(level(), links.pop());
      if (tag === 'blockquote') closeQuote();
      if (tag === 'ul' || tag === 'ol') {
        endParagraph();
        lists.pop();
      }
      if (paragraphs.has(tag)) endParagraph();
    },
    end(): string {
      endLine(level());
      return withoutBlankEnds(level().lines)
        .join('\n')
        .replace(/\n{3,}/g, '\n\n');
    },
  };
}

function withoutBlankEnds(lines: string[]): string[] {
  const first = lines.findIndex((line) => line !== '');
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1);
}
