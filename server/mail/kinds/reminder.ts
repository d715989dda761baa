import type { Block, MailFile } from '../blocks.ts';
import { type EveryMail, type Kind, type MailPerson, nameOf } from './kind.ts';
import { alice, sampleFiles, sampleLanguageUrl, sampleReference, sampleSubject, sampleUrl } from './samples.ts';
import { glance, type Sharing, sharingSentences, totalSize, untilOf } from './sharing.ts';

export interface ReminderPayload extends EveryMail, Sharing {
  sender: MailPerson;
  subject: string;
  files: MailFile[];
  isPrivate: boolean;
  url: string;
}

export const reminderKind: Kind<ReminderPayload> = {
  headerClass: 'receipt',
  traits: ['invites', 'carriesAccess', 'isSentByPerson', 'waitsForFiles'],
  refersTo: 'message',
  defaults: { subject: 'mail.reminderSubject', intro: 'mail.reminderIntro', closing: null },
  sample: {
    reference: sampleReference,
    otherLanguageUrl: sampleLanguageUrl,
    sender: alice,
    subject: sampleSubject,
    files: sampleFiles,
    isPrivate: false,
    url: sampleUrl,
    expiresOn: '2026-11-30',
    audience: 'recipientsOnly',
    downloadLimit: null,
  },
  compose(payload, texts, sender) {
    const files = payload.isPrivate ? [] : payload.files;
    const people = { sender: nameOf(payload.sender), senderAddress: payload.sender.address };
    const fileCount = files.length;
    const what = payload.isPrivate
      ? texts.say('mail.privateSubject', people)
      : texts.say('mail.messageHeading', { ...people, fileCount });
    const variables = {
      ...people,
      // A private subject must not reach a template either.
      subject: payload.isPrivate ? what : payload.subject,
      what,
      fileCount,
      totalSize: totalSize(files, texts),
      until: untilOf(payload.expiresOn, texts),
    };
    const blocks: Block[] = [];
    if (fileCount > 0) blocks.push({ type: 'files', files, withChecksums: false });
    blocks.push({ type: 'button', label: texts.say('mail.messageButton', variables), url: payload.url });
    blocks.push({ type: 'facts', facts: sharingSentences(payload, fileCount, texts, sender) });
    return {
      variables,
      heading: texts.say('mail.reminderSubject', variables),
      preheader: glance(files, payload.expiresOn, texts),
      why: texts.say('mail.reminderWhy', { ...variables, ...sender }),
      blocks,
    };
  },
};
