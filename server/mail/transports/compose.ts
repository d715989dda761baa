// Refuses ambiguous mails regardless of earlier checks.
import type { SendMailOptions } from 'nodemailer';
import DKIM from 'nodemailer/lib/dkim';
import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import type { OutgoingMail } from '#server/domain/ports.ts';
import { parseAddress } from '#server/lib/address.ts';

const allowedHeaders = new Set([
  'Auto-Submitted',
  'X-Auto-Response-Suppress',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'References',
]);

const MAX_HEADER_CHARS = 998;
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const messageIdForm = /^<[A-Za-z0-9.!#$&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+>$/;

/** Null if the mail is valid, else the fault in words. */
export function findFault(mail: OutgoingMail): string | null {
  const addresses = [mail.from.address, mail.to, mail.envelopeFrom, ...(mail.replyTo === null ? [] : [mail.replyTo])];
  if (addresses.some((address) => !isPlainAddress(address))) return 'an address is not one plain address';
  if (!messageIdForm.test(mail.messageId) || mail.messageId.length > 250) return 'the message id is malformed';
  if (unprintable.test(mail.subject) || unprintable.test(mail.from.name)) return 'a header holds a control character';
  if (mail.pictures?.some(({ name }) => !/^[a-z0-9-]{1,60}$/.test(name)))
    return 'a picture has a name it must not have';
  for (const [name, value] of Object.entries(mail.headers)) {
    if (!allowedHeaders.has(name)) return `the header ${name.replace(/[^\w-]/g, '?').slice(0, 60)} is not on the list`;
    if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) || value.length > MAX_HEADER_CHARS) {
      return `the header ${name} holds something it must not`;
    }
  }
  return null;
}

export function mailOptions(mail: OutgoingMail): SendMailOptions {
  return {
    messageId: mail.messageId,
    from: { name: literalName(mail.from.name), address: mail.from.address },
    to: { name: '', address: mail.to },
    ...(mail.replyTo === null ? {} : { replyTo: { name: '', address: mail.replyTo } }),
    envelope: { from: mail.envelopeFrom, to: [mail.to] },
    subject: literalSubject(mail.subject),
    text: mail.text,
    html: mail.html,
    headers: mail.headers,
    attachments: (mail.pictures ?? []).map((picture) => ({
      cid: picture.name,
      filename: `${picture.name}.png`,
      content: picture.bytes,
      contentType: 'image/png',
      contentDisposition: 'inline' as const,
    })),
    textEncoding: 'quoted-printable',
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** A form of nodemailer. */
export interface DkimKey {
  domainName: string;
  keySelector: string;
  privateKey: string;
}

/** Lines end in CR LF. */
export function composeMime(mail: OutgoingMail, dkim: DkimKey | null = null): Promise<Buffer> {
  const message = new MailComposer({ ...mailOptions(mail), newline: 'windows' }).compile();
  if (dkim !== null) message.processFunc((input) => new DKIM(dkim).sign(input));
  return message.build();
}

/** The library leaves ASCII unencoded, so the receiver would decode a text that looks like an encoded word. */
function literalSubject(subject: string): string {
  return subject.includes('=?') ? encodeWord(subject, 'Q', 52) : subject;
}

/** The same for names, which the library puts in quotes: a space prevents decoding. */
function literalName(name: string): string {
  return name.replaceAll('=?', '= ?');
}

function isPlainAddress(text: string): boolean {
  return parseAddress(text, { allowSingleLabel: true })?.address === text;
}
