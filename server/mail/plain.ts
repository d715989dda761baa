// Other people's text is marked line by line, so that it cannot pass for ours.
import { type Block, type Fact, type Quote, shorten } from './blocks.ts';
import type { Footer } from './footer.ts';
import type { Texts } from './text.ts';

const LINE_CHARS = 72;

export interface PlainMail {
  heading: string;
  blocks: Block[];
  footer: Footer;
}

export function plainMail({ heading, blocks, footer }: PlainMail, texts: Texts): string {
  const parts = [wrap(heading), ...blocks.map((block) => plainBlock(block, texts))].filter((part) => part !== '');
  // Announces a signature to mail programs.
  return `${[...parts, `-- \n${plainFooter(footer, texts)}`].join('\n\n')}\n`;
}

export function plainBlock(block: Block, texts: Texts): string {
  switch (block.type) {
    case 'paragraph':
      return wrap(block.text);
    case 'notice':
      return wrap(block.tone === 'warning' ? texts.say('mail.plainWarning', { text: block.text }) : block.text);
    case 'code':
      return `    ${block.code}`;
    case 'quote':
      return plainQuote(block, texts);
    case 'files':
      return plainFiles(block, texts);
    case 'entries':
      return plainList(
        block.entries.map(({ title, detail }) => [title, detail]),
        texts,
      );
    case 'button':
    case 'link':
      return `${wrap(texts.say('mail.plainLink', { label: block.label }))}\n${block.url}`;
    case 'facts':
      return block.facts.map((fact) => plainFact(fact, texts)).join('\n');
  }
}

function plainQuote(block: Quote, texts: Texts): string {
  const head =
    block.address === null || block.address === block.by
      ? texts.say('mail.plainQuoteBy', { name: block.by })
      : texts.say('mail.plainQuote', { name: block.by, address: block.address });
  const lines = wrap(block.text, LINE_CHARS - 2)
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`));
  const rest = block.isCut ? [texts.say('mail.quoteCut')] : [];
  return [wrap(head), ...lines, ...rest].join('\n');
}

function plainFiles({ files, withChecksums }: Extract<Block, { type: 'files' }>, texts: Texts): string {
  const head = texts.say('mail.plainFiles', { fileCount: files.length });
  const items = files.map((file) => [
    `${file.name} (${texts.size(file.sizeBytes)})`,
    withChecksums ? texts.say('mail.checksum', { checksum: file.sha256 }) : '',
  ]);
  return `${head}\n${plainList(items, texts)}`;
}

function plainList(items: string[][], texts: Texts): string {
  const { shown, more } = shorten(items);
  const lines = shown.map((item) => `- ${item.filter((line) => line !== '').join('\n  ')}`);
  if (more > 0) lines.push(`- ${texts.say('mail.more', { more })}`);
  return lines.join('\n');
}

function plainFact(fact: Fact, texts: Texts): string {
  return 'label' in fact ? texts.say('mail.plainFact', fact) : wrap(fact.sentence);
}

function plainFooter(footer: Footer, texts: Texts): string {
  const links = footer.links.map((link) => `${texts.say('mail.plainLink', { label: link.label })}\n${link.url}`);
  const lines = [wrap(footer.why), footer.organisation, footer.contact, ...footer.note, footer.reference, ...links];
  return lines.filter((line) => line !== null).join('\n');
}

/** Breaks at spaces; longer words stay whole, line breaks stay. */
function wrap(text: string, width = LINE_CHARS): string {
  return text
    .split('\n')
    .map((line) => (line.length <= width ? line : wrapLine(line, width)))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...lines, current].join('\n');
}
