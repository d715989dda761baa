// Later mails about the message thread below it.
import { type Block, type Fact, type MailFile, shorten } from '../blocks.ts';
import type { Texts } from '../text.ts';
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
  /** Private text is not mailed, not even to the sender. */
  isPrivate: boolean;
  sendReceipt: boolean;
  /** The message in the app. */
  url: string;
}

export const copyToSenderKind: Kind<CopyToSenderPayload> = {
  headerClass: 'receipt',
  traits: [],
  refersTo: 'message',
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
  compose(payload, texts, sender) {
    const { files, isPrivate } = payload;
    const variables = {
      sender: nameOf(payload.sender),
      subject: payload.subject,
      fileCount: files.length,
      recipientCount: payload.recipients.length,
      totalSize: totalSize(files, texts),
      until: untilOf(payload.expiresOn, texts),
    };
    const blocks: Block[] = [];
    if (isPrivate) blocks.push({ type: 'paragraph', text: texts.say('mail.copyPrivate') });
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
        ...recipientFacts(payload, texts),
        ...sharingFacts(payload, files.length, texts, sender),
        {
          label: texts.say('mail.labelReceipts'),
          value: texts.say(payload.sendReceipt ? 'mail.receiptsOn' : 'mail.receiptsOff'),
        },
      ],
    });
    blocks.push({ type: 'button', label: texts.say('mail.copyButton'), url: payload.url });
    return {
      variables,
      heading: texts.say('mail.copyHeading', variables),
      preheader: isPrivate ? '' : glance(files, payload.expiresOn, texts),
      why: texts.say('mail.copyWhy', { ...variables, ...sender }),
      blocks,
    };
  },
};

function recipientFacts({ recipients }: CopyToSenderPayload, texts: Texts): Fact[] {
  const labels = { to: texts.say('mail.labelTo'), cc: texts.say('mail.labelCc'), bcc: texts.say('mail.labelBcc') };
  return (['to', 'cc', 'bcc'] as const).flatMap((role) => {
    const { shown, more } = shorten(recipients.filter((recipient) => recipient.role === role));
    if (shown.length === 0) return [];
    const names = shown.map((recipient) => recipient.address);
    if (more > 0) names.push(texts.say('mail.more', { more }));
    return [{ label: labels[role], value: names.join(', ') }];
  });
}
