// A mail as a page, without its links, codes and page addresses, whatever an administrator's template contains.
import { type Block, cutQuotes, type Fact, shorten } from './blocks.ts';
import { contentOf } from './content.ts';
import { type MailKind, type MailPayloads, mailKinds } from './kinds/all.ts';
import type { Kind } from './kinds/kind.ts';
import { composeMail, type MailFrame } from './render.ts';
import type { Texts } from './text.ts';
import { withoutIsolates } from './visible.ts';

export type MailPiece =
  | { is: 'text'; text: string }
  | { is: 'quote'; by: string; address: string | null; text: string }
  | { is: 'list'; items: { title: string; detail: string }[]; more: string | null }
  | { is: 'facts'; facts: { label: string | null; text: string }[] };

export interface MailPageText {
  subject: string;
  heading: string;
  pieces: MailPiece[];
  /** Why the reader got the mail. */
  why: string;
}

const QUOTE_BYTES = 16_000;
const hiddenCode = '••••-••••';

export function renderMailPage<K extends MailKind>(kind: K, payload: MailPayloads[K], frame: MailFrame): MailPageText {
  const definition: Kind<MailPayloads[K]> = mailKinds[kind];
  const safePayload = withoutSecrets(payload, '', frame.baseUrl) as MailPayloads[K];
  const { texts, sender, composition } = composeMail(definition, safePayload, frame);
  const template = frame.templates?.[kind] ?? {};
  const content = contentOf({ kind, composition, template, sender, locale: texts.locale });
  return {
    subject: withoutIsolates(content.subject),
    heading: withoutIsolates(composition.heading),
    pieces: cutQuotes(content.blocks, QUOTE_BYTES).flatMap((block) => pieceOf(block, texts)),
    why: withoutIsolates(composition.why),
  };
}

/** Links become the address of the installation, codes become dots. */
function withoutSecrets(value: unknown, field: string, baseUrl: string): unknown {
  if (typeof value === 'string') {
    if (field === 'code') return hiddenCode;
    return /^url$|Url$/.test(field) ? baseUrl : value;
  }
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, field, baseUrl));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner, name, baseUrl)]));
}

function pieceOf(block: Block, texts: Texts): MailPiece[] {
  switch (block.type) {
    case 'button':
    case 'link':
    case 'code':
      return [];
    case 'paragraph':
    case 'notice':
      return [{ is: 'text', text: withoutIsolates(block.text) }];
    case 'quote': {
      const text = block.isCut ? `${block.text}\n\n${texts.say('mail.quoteCut')}` : block.text;
      const address = block.address === null ? null : withoutIsolates(block.address);
      return [{ is: 'quote', by: withoutIsolates(block.by), address, text: withoutIsolates(text) }];
    }
    case 'files': {
      const items = block.files.map(({ name, sizeBytes }) => ({ title: name, detail: texts.size(sizeBytes) }));
      return [listOf(items, texts)];
    }
    case 'entries':
      return [listOf(block.entries, texts)];
    case 'facts':
      return [{ is: 'facts', facts: block.facts.map(factOf) }];
  }
}

function listOf(items: { title: string; detail: string }[], texts: Texts): MailPiece {
  const { shown, more } = shorten(items);
  const plain = shown.map(({ title, detail }) => ({ title: withoutIsolates(title), detail: withoutIsolates(detail) }));
  return { is: 'list', items: plain, more: more === 0 ? null : texts.say('mail.more', { more }) };
}

function factOf(fact: Fact): { label: string | null; text: string } {
  return 'label' in fact
    ? { label: fact.label, text: withoutIsolates(fact.value) }
    : { label: null, text: withoutIsolates(fact.sentence) };
}
