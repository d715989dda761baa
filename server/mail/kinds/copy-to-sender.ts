// The sender's own record of a message. Later mails about the message thread below it.
import { type Block, type Fact, type MailFile, shorten } from '../blocks.ts';
import type { Words } from '../text.ts';
import { type EveryMail, type Kind, type MailPerson, nameOf } from './kind.ts';
import { alice, ben, sampleBody, sampleFiles, sampleReference, sampleSubject } from './samples.ts';
import { glance, type Sharing, sharingFacts, totalSize, untilOf } from './sharing.ts';

export interface CopyToSenderPayload extends EveryMail, Sharing {
  sender: MailPerson;
  subject: string;
  body: string;
  /** Cleaned HTML, for formatted messages. */
  bodyHtml?: string | null;
  files: MailFile[];
  /** Includes Bcc: this mail goes to the sender only. */
  recipients: { address: string; role: 'to' | 'cc' | 'bcc' }[];
  /** Private text and file names are not mailed, not even to the sender. */
  isPrivate: boolean;
  sendReceipt: boolean;
  /** The message in the app. */
  url: string;
}

export const copyToSenderKind: Kind<CopyToSenderPayload> = {
  headerClass: 'receipt',
  traits: [],
  defaults: { subject: 'mail.copySubject', intro: null, closing: null },
  sample: {
    reference: sampleReference,
    sender: alice,
    subject: sampleSubject,
    body: sampleBody,
    files: sampleFiles,
    recipients: [
      { address: ben.address, role: 'to' },
      { address: 'dana@harbour.example', role: 'to' },
      { address: 'office@northlight.example', role: 'cc' },
    ],
    isPrivate: false,
    sendReceipt: true,
    url: `https://files.northlight.example/app/sent/${sampleReference}`,
    expiresOn: '2026-11-30',
    audience: 'recipientsOnly',
    downloadLimit: 3,
  },
  compose(payload, words, sender) {
    const { files, isPrivate } = payload;
    const variables = {
      sender: nameOf(payload.sender),
      subject: payload.subject,
      fileCount: files.length,
      recipientCount: payload.recipients.length,
      totalSize: totalSize(files, words),
      until: untilOf(payload.expiresOn, words),
    };
    const blocks: Block[] = [];
    if (isPrivate) blocks.push({ type: 'paragraph', text: words.say('mail.copyPrivate') });
    if (payload.body !== '' && !isPrivate) {
      blocks.push({
        type: 'quote',
        by: variables.sender,
        address: payload.sender.address,
        text: payload.body,
        html: payload.bodyHtml ?? null,
      });
    }
    if (files.length > 0 && !isPrivate) blocks.push({ type: 'files', files, withChecksums: false });
    blocks.push({
      type: 'facts',
      facts: [
        ...recipientFacts(payload, words),
        ...sharingFacts(payload, files.length, words, sender),
        {
          label: words.say('mail.labelReceipts'),
          value: words.say(payload.sendReceipt ? 'mail.receiptsOn' : 'mail.receiptsOff'),
        },
      ],
    });
    blocks.push({ type: 'button', label: words.say('mail.copyButton'), url: payload.url });
    return {
      variables,
      heading: words.say('mail.copyHeading', variables),
      preheader: isPrivate ? '' : glance(files, payload.expiresOn, words),
      why: words.say('mail.copyWhy', { ...variables, ...sender }),
      blocks,
    };
  },
};

function recipientFacts({ recipients }: CopyToSenderPayload, words: Words): Fact[] {
  const labels = { to: words.say('mail.labelTo'), cc: words.say('mail.labelCc'), bcc: words.say('mail.labelBcc') };
  return (['to', 'cc', 'bcc'] as const).flatMap((role) => {
    const { shown, more } = shorten(recipients.filter((recipient) => recipient.role === role));
    if (shown.length === 0) return [];
    const names = shown.map((recipient) => recipient.address);
    if (more > 0) names.push(words.say('mail.more', { more }));
    return [{ label: labels[role], value: names.join(', ') }];
  });
}
