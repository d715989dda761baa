// A message as HTML to embed in another mail. Without double quotes, because the first command-line clients cannot read
// escaped ones in JSON.
import { directionOf } from '#language/locale.ts';
import { type Markup, markup, markupLines, nothing, trusted } from '../lib/markup.ts';
import { cleanRichText } from '../lib/rich-text.ts';
import { type Block, type Quote, sentencesOf, shorten } from './blocks.ts';
import type { MailColours } from './colours.ts';
import type { Texts } from './text.ts';

export interface HtmlEmbed {
  heading: string;
  blocks: Block[];
  colours: MailColours;
}

export function htmlEmbed({ heading, blocks, colours }: HtmlEmbed, texts: Texts): string {
  const dir = directionOf(texts.locale);
  // Mail programs do not know logical properties.
  const start = dir === 'ltr' ? 'left' : 'right';
  const rows = blocks.map((block) => rowOf(block, { texts, start, colours }));
  return markup`<div lang='${texts.locale}' dir='${dir}' style='overflow-wrap:anywhere'><p style='margin:0 0 12px;font-size:18px'><b>${heading}</b></p>${rows}</div>`
    .html;
}

interface Surroundings {
  texts: Texts;
  start: 'left' | 'right';
  colours: MailColours;
}

function rowOf(block: Block, { texts, start, colours }: Surroundings): Markup {
  switch (block.type) {
    case 'paragraph':
      return markup`<p style='margin:0 0 12px'>${markupLines(block.text)}</p>`;
    case 'quote':
      return markup`<blockquote style='margin:0 0 12px;padding:0 12px;border-${start}:3px solid ${colours.primary}'>${quoteOf(block, texts)}</blockquote>`;
    case 'files':
      return markup`<ul style='margin:0 0 12px;padding-${start}:20px'>${filesOf(block, texts)}</ul>`;
    case 'button':
      return markup`<p style='margin:0 0 12px'><b>${block.label}</b>:<br><a href='${block.url}' dir='ltr'>${block.url}</a></p>`;
    case 'facts': {
      const sentences = sentencesOf(block.facts).map(
        ({ before, strong, after }, index) => markup`${index === 0 ? '' : ' '}${before}<b>${strong}</b>${after}`,
      );
      return markup`<p style='margin:0 0 12px'>${sentences}</p>`;
    }
    default:
      return nothing;
  }
}

function quoteOf(quote: Quote, texts: Texts): Markup[] {
  const hasAddress = quote.address !== null && quote.address !== '' && quote.address !== quote.by;
  // Safety must not depend on the stored row.
  const html = quote.html == null ? null : cleanRichText(quote.html);
  return [
    markup`<b>${quote.by}</b>`,
    hasAddress ? markup` ${'·'} ${quote.address!}` : nothing,
    markup`<br>`,
    html === null ? markupLines(quote.text) : trusted(withoutDoubleQuotes(html)),
    quote.isCut ? markup`<br>${texts.say('mail.quoteCut')}` : nothing,
  ];
}

function withoutDoubleQuotes(html: string): string {
  return html
    .replace(/<[^>]*>/g, (tag) =>
      tag.replace(/="([^"]*)"/g, (_, value: string) => `='${value.replaceAll("'", '&#39;')}'`),
    )
    .replaceAll('"', '&#34;');
}

function filesOf({ files, withChecksums }: Extract<Block, { type: 'files' }>, texts: Texts): Markup[] {
  const { shown, more } = shorten(files);
  const items = shown.map(({ name, sizeBytes, sha256 }) => {
    const checksum = withChecksums
      ? markup`<br><small dir='ltr'>${texts.say('mail.checksum', { checksum: sha256 })}</small>`
      : nothing;
    return markup`<li style='margin:0 0 6px'>${name} (${texts.size(sizeBytes)})${checksum}</li>`;
  });
  return more === 0 ? items : [...items, markup`<li>${texts.say('mail.more', { more })}</li>`];
}
