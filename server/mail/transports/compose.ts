// The one place where an OutgoingMail becomes MIME, for every transport. Sets its fields and nothing else (security
// D14), and refuses a mail that could be read in two ways, regardless of earlier checks.
import type { SendMailOptions } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import type { OutgoingMail } from '#server/domain/ports.ts';
import { parseAddress } from '#server/lib/address.ts';

/** The short list of experience 8.2. */
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

/** Null when the mail is sound, else what is wrong with it, in words. */
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

/** What the mail library is given. */
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

/** The whole mail as bytes, lines ending in CR LF. */
export function composeMime(mail: OutgoingMail): Promise<Buffer> {
  return new MailComposer({ ...mailOptions(mail), newline: 'windows' }).compile().build();
}

/**
 * The library leaves ASCII alone, so text that looks like an encoded word would be decoded at the other end into
 * unchecked text, line breaks included. Such a subject is encoded once more, by us.
 */
function literalSubject(subject: string): string {
  return subject.includes('=?') ? encodeWord(subject, 'Q', 52) : subject;
}

/** The same for names, which the library would put in quotes: a space breaks the spell. */
function literalName(name: string): string {
  return name.replaceAll('=?', '= ?');
}

function isPlainAddress(text: string): boolean {
  return parseAddress(text, { allowSingleLabel: true })?.address === text;
}
