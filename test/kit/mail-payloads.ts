// For tests of mails: a frame, payloads with any number of files, and payloads of hostile texts.
import type { OutgoingMail } from '#server/domain/ports.ts';
import type { MailFile } from '#server/mail/blocks.ts';
import { type MailKind, type MailPayloads, mailKinds } from '#server/mail/kinds/all.ts';
import { type MailFrame, type RenderedMail, renderMail } from '#server/mail/render.ts';

export const frame: MailFrame = {
  locale: 'en',
  timeZone: 'Europe/Stockholm',
  organisationName: 'Northlight Architects',
  productName: 'Waybill',
  contactAddress: 'it@northlight.example',
  baseUrl: 'https://files.northlight.example',
  listUnsubscribeUrl: 'https://files.northlight.example/notices/5kXq',
};

export const kindNames = Object.keys(mailKinds) as MailKind[];

/** The sample of a kind, loosely typed: tests change fields that only some kinds have. */
export type AnyPayload = Record<string, unknown> & { reference: string };

export function sampleOf(kind: MailKind): AnyPayload {
  return structuredClone(mailKinds[kind].sample) as unknown as AnyPayload;
}

export function renderAny(kind: MailKind, payload: AnyPayload, changes: Partial<MailFrame> = {}): RenderedMail {
  return renderMail(kind, payload as unknown as MailPayloads[MailKind], { ...frame, ...changes });
}

export function makeFiles(count: number): MailFile[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `Drawing-${index + 1}.pdf`,
    sizeBytes: 1_048_576 * (index + 1),
    sha256: String(index).padStart(64, '0'),
  }));
}

/** The sample with that many files, if the kind has files. */
export function withFiles(kind: MailKind, count: number): AnyPayload {
  const payload = sampleOf(kind);
  return 'files' in payload ? { ...payload, files: makeFiles(count) } : payload;
}

/** Fields that people cannot fill in: choices, dates, links, ids and checksums. */
const ours =
  /^(url|.*Url|expiresOn|fullOn|audience|about|via|problem|event|topic|role|sha256|threadMessageId|minutes|security)$/;

/** Replaces each text of the payload with what `make` returns for its field; short texts stay one line. */
export function replaceWords(payload: AnyPayload, make: (field: string) => string): AnyPayload {
  const walk = (value: unknown, field: string, path: string): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => walk(item, field, `${path}${index}`));
    if (value !== null && typeof value === 'object') {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner, name, path + name)]));
    }
    // The subject of a code or receipt is a choice in one kind and a text in the other.
    const isOurs = ours.test(field) && !(field === 'about' && value !== 'message' && value !== 'link');
    return typeof value === 'string' && !isOurs ? make(path) : value;
  };
  return walk(payload, '', '') as AnyPayload;
}

export function outgoing(rendered: RenderedMail): OutgoingMail {
  return {
    messageId: '<mail-1@northlight.example>',
    from: { name: rendered.fromName, address: 'files@northlight.example' },
    to: 'ben@harbour.example',
    replyTo: rendered.replyTo === 'person' ? 'alice@northlight.example' : 'it@northlight.example',
    envelopeFrom: 'bounces@northlight.example',
    subject: rendered.subject,
    text: rendered.text,
    html: rendered.html,
    pictures: rendered.pictures,
    headers: rendered.headers,
  };
}

/** The visible text of HTML, with white space collapsed. */
export function textOfHtml(html: string): string {
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&#34;': '"', '&#39;': "'", '&amp;': '&' };
  return html
    .replace(/<style.*?<\/style>|<!--.*?-->|<head.*?<\/head>/gs, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:lt|gt|amp|#34|#39);/g, (entity) => entities[entity]!)
    .replace(/\s+/g, ' ');
}

export function textOfPlain(text: string): string {
  return text.replace(/^> ?/gm, '').replace(/\s+/g, ' ');
}

/** The tags of a document in their order; mails with the same skeleton differ in text only. */
export function skeleton(html: string): string[] {
  return html.match(/<[^>]*>/g) ?? [];
}
