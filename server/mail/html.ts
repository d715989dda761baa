// Every value is escaped, except markup made here and cleaned text.
import { Liquid, type Template } from 'liquidjs';
import { directionOf } from '#language/locale.ts';
import { cleanRichText } from '../lib/rich-text.ts';
import { type Block, type Fact, sentencesOf, shorten } from './blocks.ts';
import type { MailColours } from './colours.ts';
import type { Footer } from './footer.ts';
import { layouts } from './layouts.gen.ts';
import type { Texts } from './text.ts';

export interface HtmlMail {
  subject: string;
  preheader: string;
  organisation: string;
  heading: string;
  blocks: Block[];
  footer: Footer;
  colours: MailColours;
  logo: DrawnLogo | null;
}

/** In CSS pixels. */
export interface DrawnLogo {
  light: { name: string; width: number; height: number };
  dark: { name: string; width: number; height: number } | null;
}

type Layout = keyof typeof layouts;

const engine = new Liquid({
  ownPropertyOnly: true,
  strictVariables: true,
  strictFilters: true,
  outputEscape: 'escape',
  relativeReference: false,
  templates: {},
});

const parsed = new Map<Layout, Template[]>();

export function htmlMail(mail: HtmlMail, texts: Texts): string {
  const shared = { ...sidesOf(texts), colours: mail.colours };
  const rows = mail.blocks.map((block) => fill(block.type, { ...shared, ...viewOf(block, texts) }));
  return fill('page', {
    ...shared,
    subject: mail.subject,
    preheader: mail.preheader,
    organisation: mail.organisation,
    heading: mail.heading,
    rows: rows.join(''),
    footer: mail.footer,
    logo: mail.logo,
  });
}

function fill(layout: Layout, values: object): string {
  let template = parsed.get(layout);
  if (template === undefined) {
    template = engine.parse(layouts[layout]);
    parsed.set(layout, template);
  }
  return String(engine.renderSync(template, values));
}

/** Mail programs do not know logical properties. */
function sidesOf(texts: Texts): object {
  const dir = directionOf(texts.locale);
  const [start, end] = dir === 'ltr' ? ['left', 'right'] : ['right', 'left'];
  return { lang: texts.locale, dir, start, end };
}

function viewOf(block: Block, texts: Texts): object {
  switch (block.type) {
    case 'paragraph':
    case 'notice':
      return { ...block, lines: block.text.split('\n') };
    case 'quote': {
      const address = block.address === block.by ? null : block.address;
      const rest = block.isCut ? texts.say('mail.quoteCut') : null;
      // Safety must not depend on the stored row.
      const html = block.html == null ? null : cleanRichText(block.html);
      return { by: block.by, address, html, lines: block.text.split('\n'), rest };
    }
    case 'files': {
      const { shown, more } = shorten(block.files);
      const files = shown.map((file) => ({
        name: file.name,
        size: texts.size(file.sizeBytes),
        checksum: block.withChecksums ? texts.say('mail.checksum', { checksum: file.sha256 }) : null,
      }));
      return { files, more: moreOf(more, texts) };
    }
    case 'entries': {
      const { shown, more } = shorten(block.entries);
      return { entries: shown, more: moreOf(more, texts) };
    }
    case 'facts':
      return { ...factsView(block.facts) };
    case 'code':
    case 'button':
    case 'link':
      return block;
  }
}

function moreOf(more: number, texts: Texts): string | null {
  return more === 0 ? null : texts.say('mail.more', { more });
}

function factsView(facts: Fact[]): object {
  const labelled = facts.filter((fact) => 'label' in fact);
  return { labelled, sentences: sentencesOf(facts) };
}
