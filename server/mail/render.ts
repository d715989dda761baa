// Pure, so that a retry gives the same mail.
import type { MailPicture } from '../domain/ports.ts';
import { cutQuotes } from './blocks.ts';
import { mailColours } from './colours.ts';
import { contentBlocksOf, contentOf } from './content.ts';
import { htmlEmbed } from './embed.ts';
import { type Footer, footerOf } from './footer.ts';
import { type DrawnLogo, htmlMail } from './html.ts';
import { type MailKind, type MailPayloads, mailKinds } from './kinds/all.ts';
import { type Composition, type HeaderClass, type Kind, nameOf, type Sender } from './kinds/kind.ts';
import type { MessagePayload } from './kinds/message.ts';
import { checkedUrl, cleanPayload } from './payload.ts';
import { plainBlock, plainMail } from './plain.ts';
import type { MailTemplate } from './template.ts';
import { type Texts, textsFor } from './text.ts';
import { visibleLine, withoutIsolates } from './visible.ts';

export interface MailFrame {
  locale: string;
  timeZone: string;
  organisationName: string;
  productName: string;
  contactAddress: string | null;
  baseUrl: string;
  /** `#rrggbb` */
  brandColour?: string;
  logo?: MailLogo | null;
  /** May be empty. */
  footerText?: string;
  /** One-click unsubscribe URL; for class `receipt` only. */
  listUnsubscribeUrl?: string;
  /** Administrators' content templates in the language of the frame. */
  templates?: Partial<Record<MailKind, MailTemplate>>;
}

/** PNG only: many mail programs show nothing else. */
export interface MailLogo {
  light: MailLogoPicture;
  /** Null puts the light-mode logo on a light plate. */
  dark: MailLogoPicture | null;
}

export interface MailLogoPicture extends MailPicture {
  /** Only the proportion matters. */
  width: number;
  height: number;
}

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
  /** The display name of the system's address. */
  fromName: string;
  /** The person of the payload, or the installation's contact. */
  replyTo: 'person' | 'contact';
  headers: Record<string, string>;
  /** Referenced by `cid:` in the HTML. */
  pictures: MailPicture[];
  /** For the operator's log: templates that failed and were replaced. */
  templateProblems: string[];
}

export interface Embeddable {
  plain: string;
  html: string;
}

/** Mail programs cut most display names long before this. */
const MAX_FROM_CHARS = 120;
/** The limit of a header line. */
const MAX_SUBJECT_BYTES = 998;
/** Mail programs cut longer mails, footer first. */
const MAX_HTML_BYTES = 40 * 1024;
/** The second limit is for mails that are too long otherwise. */
const QUOTE_BYTES = [16_000, 1_500] as const;

export function renderMail<K extends MailKind>(kind: K, payload: MailPayloads[K], frame: MailFrame): RenderedMail {
  const definition: Kind<MailPayloads[K]> = mailKinds[kind];
  const { texts, sender, clean, composition } = composeMail(definition, payload, frame);
  const template = frame.templates?.[kind] ?? {};
  const content = contentOf({ kind, composition, template, sender, locale: texts.locale });
  const isReceipt = definition.headerClass === 'receipt';
  const unsubscribeUrl = isReceipt && frame.listUnsubscribeUrl ? checkedUrl(frame.listUnsubscribeUrl) : null;
  const footer: Footer = footerOf(
    {
      why: composition.why,
      organisation: sender.organisation,
      contact: frame.contactAddress === null ? null : sender.contact,
      note: (frame.footerText ?? '').split('\n').map(visibleLine).join('\n'),
      reference: clean.reference,
      refersTo: definition.refersTo ?? 'other',
      otherLanguageUrl: clean.otherLanguageUrl ?? null,
      unsubscribeUrl,
    },
    texts,
  );
  const { heading, preheader } = composition;
  const subject = cutBytes(withoutIsolates(content.subject));
  const { organisation } = sender;
  const colours = mailColours(frame.brandColour);
  const logo = frame.logo ?? null;
  const write = (quoteBytes: number) => {
    const blocks = cutQuotes(content.blocks, quoteBytes);
    return {
      text: plainMail({ heading, blocks, footer }, texts),
      html: htmlMail(
        { subject, preheader, organisation, heading, blocks, footer, colours, logo: drawnLogo(logo) },
        texts,
      ),
    };
  };
  const draft = write(QUOTE_BYTES[0]);
  return {
    subject,
    ...(Buffer.byteLength(draft.html) <= MAX_HTML_BYTES ? draft : write(QUOTE_BYTES[1])),
    fromName: fromNameOf(composition, sender, texts),
    replyTo: composition.person === undefined ? 'contact' : 'person',
    headers: headersOf(definition.headerClass, clean.threadMessageId, unsubscribeUrl),
    pictures: logo === null ? [] : [logo.light, ...(logo.dark === null ? [] : [logo.dark])].map(pictureOf),
    templateProblems: content.templateProblems,
  };
}

function pictureOf({ name, bytes }: MailPicture): MailPicture {
  return { name, bytes };
}

/** Height and maximum width of a logo. */
const [LOGO_HEIGHT_PX, LOGO_MAX_WIDTH_PX] = [32, 200];

function drawnLogo(logo: MailLogo | null): DrawnLogo | null {
  if (logo === null) return null;
  const draw = ({ name, width, height }: MailLogoPicture) => {
    const scale = Math.min(LOGO_HEIGHT_PX / height, LOGO_MAX_WIDTH_PX / width);
    return { name, width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  };
  return { light: draw(logo.light), dark: logo.dark === null ? null : draw(logo.dark) };
}

export function renderEmbeddable(payload: MessagePayload & { isPrivate?: boolean }, frame: MailFrame): Embeddable {
  const kind = payload.isPrivate ? 'private-message' : 'message';
  const definition = mailKinds[kind] as Kind<MessagePayload>;
  const { texts, sender, composition } = composeMail(definition, payload, frame);
  const template = frame.templates?.[kind] ?? {};
  const blocks = contentBlocksOf({ kind, composition, template, sender, locale: texts.locale });
  const withChecksums = blocks.map((block) => (block.type === 'files' ? { ...block, withChecksums: true } : block));
  const { heading } = composition;
  return {
    plain: `${[heading, ...withChecksums.map((block) => plainBlock(block, texts))].join('\n\n')}\n`,
    html: htmlEmbed({ heading, blocks: withChecksums, colours: mailColours(frame.brandColour) }, texts),
  };
}

export function composeMail<P extends MailPayloads[MailKind]>(definition: Kind<P>, payload: P, frame: MailFrame) {
  const texts = textsFor(frame.locale, frame.timeZone);
  const sender: Sender = {
    organisation: visibleLine(frame.organisationName),
    product: visibleLine(frame.productName),
    contact: visibleLine(frame.contactAddress ?? ''),
    site: visibleLine(frame.baseUrl),
  };
  const clean = cleanPayload(payload);
  return { texts, sender, clean, composition: definition.compose(clean, texts, sender) };
}

function fromNameOf({ person }: Composition, { organisation }: Sender, texts: Texts): string {
  const name =
    person === undefined
      ? texts.say('mail.fromService', { organisation })
      : texts.say('mail.fromPerson', { name: nameOf(person), organisation });
  return [...withoutIsolates(name)].slice(0, MAX_FROM_CHARS).join('');
}

/** Out-of-office replies must reach the person. */
function headersOf(headerClass: HeaderClass, thread: string | undefined, unsubscribeUrl: string | null) {
  const headers: Record<string, string> = {};
  if (headerClass === 'person') return headers;
  headers['Auto-Submitted'] = 'auto-generated';
  headers['X-Auto-Response-Suppress'] = 'All';
  if (unsubscribeUrl !== null) {
    headers['List-Unsubscribe'] = `<${unsubscribeUrl}>`;
    headers['List-Unsubscribe-Post'] = 'List-Unsubscribe=One-Click';
  }
  if (thread !== undefined && /^<[\w.!#$&'*+/=?^`{|}~-]+@[\w.-]+>$/.test(thread)) headers.References = thread;
  return headers;
}

function cutBytes(subject: string): string {
  if (Buffer.byteLength(subject) <= MAX_SUBJECT_BYTES) return subject;
  let bytes = 0;
  let end = 0;
  for (const character of subject) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_SUBJECT_BYTES - 4) break;
    end += character.length;
  }
  return `${subject.slice(0, end)}…`;
}
