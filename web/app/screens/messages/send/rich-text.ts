// Only what lines of runs can represent is stored and sent; the server sanitises it again.
import { isAddress } from '../../../ui/recipients.ts';

/** HTML only if anything is formatted. */
export interface Written {
  text: string;
  html: string;
}

type ListKind = 'ul' | 'ol';

interface Run {
  /** Has line breaks only inside list items. */
  text: string;
  /** `b`, `i` and `u`, in this order. */
  tags: string;
  href: string | null;
}

export interface Line {
  list: ListKind | null;
  runs: Run[];
}

type Place = Omit<Run, 'text'> & Pick<Line, 'list'>;

const tagOf: Record<string, string> = { b: 'b', strong: 'b', i: 'i', em: 'i', u: 'u' };
const blocks = new Set(['p', 'div', 'ul', 'ol', 'li', 'blockquote', 'pre', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const ignoredElements = new Set(['script', 'style', 'template', 'title', 'textarea', 'select', 'svg']);

/** The server permits the same. */
const permittedLink = /^(?:https?:\/\/|mailto:)[^\s"'<>\\]+$/i;
const hostPattern = /^[^\s:/?#@.]+(?:\.[^\s:/?#@.]+)+(?:[:/?#]|$)/;

/** Null if invalid. */
export function linkAddress(typed: string): string | null {
  const plain = typed.trim();
  const address = isAddress(plain) ? `mailto:${plain}` : hostPattern.test(plain) ? `https://${plain}` : plain;
  return permittedLink.test(address) ? address : null;
}

export function readLines(root: Node): Line[] {
  const lines: Line[] = [];
  let current: Line | null = null;
  const end = () => {
    if (current !== null) lines.push(withoutLastBreak(current));
    current = null;
  };
  const write = (text: string, { list, tags, href }: Place) => {
    current ??= { list, runs: [] };
    const last = current.runs.at(-1);
    if (last?.tags === tags && last.href === href) last.text += text;
    else if (text !== '') current.runs.push({ text, tags, href });
  };
  const breakLine = (place: Place) => {
    write(place.list === null ? '' : '\n', place);
    if (place.list === null) end();
  };
  const take = (node: Node, place: Place) => {
    if (node instanceof Text) {
      for (const [index, plain] of node.data.replaceAll('\u00a0', ' ').split(/\r?\n/).entries()) {
        if (index > 0) breakLine(place);
        if (plain !== '') write(plain, place);
      }
    }
    if (!(node instanceof Element) || ignoredElements.has(node.localName)) return;
    if (node.localName === 'br') return breakLine(place);
    const isBlock = blocks.has(node.localName);
    if (isBlock) end();
    for (const child of node.childNodes) take(child, placeIn(node, place));
    if (isBlock) end();
  };
  for (const child of root.childNodes) take(child, { list: null, tags: '', href: null });
  end();
  return lines;
}

function placeIn(element: Element, { list, tags, href }: Place): Place {
  const name = element.localName;
  const address = name === 'a' ? element.getAttribute('href') : null;
  return {
    list: name === 'ul' || name === 'ol' ? name : list,
    tags: [...'biu'].filter((tag) => tags.includes(tag) || tag === tagOf[name]).join(''),
    href: address !== null && permittedLink.test(address) ? address : href,
  };
}

/** Browsers end an open item with a line break. */
function withoutLastBreak({ list, runs }: Line): Line {
  const last = runs.at(-1);
  if (!last?.text.endsWith('\n')) return { list, runs };
  const rest = last.text.slice(0, -1);
  return { list, runs: rest === '' ? runs.slice(0, -1) : [...runs.slice(0, -1), { ...last, text: rest }] };
}

export function writtenIn(lines: readonly Line[]): Written {
  if (lines.every(isBlank)) return { text: '', html: '' };
  return { text: textOf(lines), html: lines.some(isFormatted) ? htmlOf(lines) : '' };
}

export function showIn(element: Element, { text, html }: Written): void {
  const plain = () =>
    text.split('\n').map((line): Line => ({ list: null, runs: [{ text: line, tags: '', href: null }] }));
  const lines = html === '' ? plain() : readLines(parse(html));
  element.replaceChildren(...parse(htmlOf(lines)).childNodes);
}

/** Nothing loads or runs in an inert document. */
function parse(html: string): HTMLElement {
  return new DOMParser().parseFromString(html, 'text/html').body;
}

function isBlank({ runs }: Line): boolean {
  return runs.every(({ text }) => text.trim() === '');
}

function isFormatted({ list, runs }: Line): boolean {
  return list !== null || runs.some(({ tags, href }) => tags !== '' || href !== null);
}

function textOf(lines: readonly Line[]): string {
  let number = 0;
  const written = lines.map(({ list, runs }) => {
    number = list === 'ol' ? number + 1 : 0;
    const mark = list === null ? '' : list === 'ul' ? '- ' : `${number}. `;
    const plain = runs.map(({ text }) => text).join('');
    return mark + plain.replaceAll('\n', '\n  ');
  });
  return written.join('\n');
}

/** Text between lists is one paragraph, so that it looks as typed. */
function htmlOf(lines: readonly Line[]): string {
  const first = lines.findIndex((line) => !isBlank(line));
  if (first === -1) return '';
  const groups: Line[][] = [];
  for (const line of lines.slice(first, lines.findLastIndex((one) => !isBlank(one)) + 1)) {
    const group = groups.at(-1);
    if (group?.[0]?.list === line.list) group.push(line);
    else groups.push([line]);
  }
  return groups.map((group) => (group[0]!.list === null ? paragraph(group) : listOf(group[0]!.list, group))).join('');
}

function paragraph(lines: readonly Line[]): string {
  // An empty last line needs a second line break to be visible.
  return `<p>${lines.map(inner).join('<br>')}${isBlank(lines.at(-1)!) ? '<br>' : ''}</p>`;
}

function listOf(kind: ListKind, lines: readonly Line[]): string {
  return `<${kind}>${lines.map((line) => `<li>${inner(line)}</li>`).join('')}</${kind}>`;
}

function inner({ runs }: Line): string {
  return runs
    .map(({ text, tags, href }) => {
      const plain = escapeHtml(text).replaceAll('\n', '<br>');
      const marked = [...tags].reduceRight((inside, tag) => `<${tag}>${inside}</${tag}>`, plain);
      return href === null ? marked : `<a href="${escapeHtml(href)}">${marked}</a>`;
    })
    .join('');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
