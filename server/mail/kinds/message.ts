import type { Block, MailFile } from '../blocks.ts';
import { type EveryMail, type Kind, type MailPerson, nameOf } from './kind.ts';
import {
  alice,
  sampleBody,
  sampleFiles,
  sampleLanguageUrl,
  sampleReference,
  sampleSubject,
  sampleUrl,
} from './samples.ts';
import { glance, type Sharing, sharingSentences, totalSize, untilOf } from './sharing.ts';

export interface MessagePayload extends EveryMail, Sharing {
  sender: MailPerson;
  subject: string;
  body: string;
  /** Cleaned HTML, for formatted messages. */
  bodyHtml?: string | null;
  files: MailFile[];
  url: string;
}

export const messageKind: Kind<MessagePayload> = {
  headerClass: 'person',
  traits: ['invites', 'carriesAccess', 'carriesText', 'isSentByPerson', 'waitsForFiles'],
  refersTo: 'message',
  defaults: { subject: 'mail.messageSubject', intro: null, closing: null },
  sample: {
    reference: sampleReference,
    otherLanguageUrl: sampleLanguageUrl,
    sender: alice,
    subject: sampleSubject,
    body: sampleBody,
    files: sampleFiles,
    url: sampleUrl,
    expiresOn: '2026-11-30',
    audience: 'recipientsOnly',
    downloadLimit: null,
  },
  compose(payload, texts, sender) {
    const { files } = payload;
    const variables = {
      sender: nameOf(payload.sender),
      senderAddress: payload.sender.address,
      subject: payload.subject,
      fileCount: files.length,
      totalSize: totalSize(files, texts),
      until: untilOf(payload.expiresOn, texts),
    };
    const blocks: Block[] = [];
    if (payload.body !== '') {
      blocks.push({
        type: 'quote',
        by: variables.sender,
        address: payload.sender.address,
        text: payload.body,
        html: payload.bodyHtml ?? null,
      });
    }
    if (files.length > 0) blocks.push({ type: 'files', files, withChecksums: false });
    blocks.push({ type: 'button', label: texts.say('mail.messageButton', variables), url: payload.url });
    blocks.push({ type: 'facts', facts: sharingSentences(payload, files.length, texts, sender) });
    return {
      variables,
      heading: texts.say('mail.messageHeading', variables),
      preheader: glance(files, payload.expiresOn, texts),
      why: texts.say('mail.messageWhy', { ...variables, ...sender }),
      blocks,
      person: payload.sender,
    };
  },
};
