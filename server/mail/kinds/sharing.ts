import type { Fact, MailFile } from '../blocks.ts';
import type { Texts } from '../text.ts';
import type { Sender } from './kind.ts';

/** Who may open a message; terms of the glossary. */
export type MailAudience =
  | 'anyone'
  | 'anyoneSignedIn'
  | 'recipientsAndLocal'
  | 'recipientsOnly'
  | 'recipientsAndDomains';

export interface Sharing {
  /** `YYYY-MM-DD`; null means without end. */
  expiresOn: string | null;
  audience: MailAudience;
  /** Includes Bcc. Absent in mails queued by earlier versions. */
  recipientCount?: number;
  /** Per file; null means unlimited. */
  downloadLimit: number | null;
}

/** Empty if there is no end. */
export function untilOf(expiresOn: string | null, texts: Texts): string {
  return expiresOn === null ? '' : texts.date(expiresOn);
}

/** For recipients: sentences. */
export function sharingSentences(sharing: Sharing, fileCount: number, texts: Texts, sender: Sender): Fact[] {
  const facts: Fact[] = [];
  if (sharing.expiresOn !== null) facts.push(untilSentence(sharing.expiresOn, texts));
  facts.push({ sentence: audienceSentence(sharing, texts, sender) });
  if (sharing.downloadLimit !== null && fileCount > 0) {
    facts.push({ sentence: texts.say('mail.downloadLimit', { limit: sharing.downloadLimit, fileCount }) });
  }
  return facts;
}

export function untilSentence(expiresOn: string, texts: Texts): Fact {
  const date = texts.date(expiresOn);
  return { sentence: texts.say('mail.availableUntil', { date }), strong: date };
}

/** For the sender: labels and values. */
export function sharingFacts(sharing: Sharing, fileCount: number, texts: Texts, sender: Sender): Fact[] {
  const until = untilOf(sharing.expiresOn, texts) || texts.say('mail.noEnd');
  const facts: Fact[] = [
    { label: texts.say('mail.labelUntil'), value: until },
    { label: texts.say('mail.labelAudience'), value: audienceText(sharing.audience, texts, sender) },
  ];
  if (fileCount > 0) facts.push({ label: texts.say('mail.labelDownloads'), value: limitText(sharing, texts) });
  return facts;
}

/** `3 files, 1.2 GB, until Monday 30 November 2026`. */
export function glance(files: MailFile[], expiresOn: string | null, texts: Texts): string {
  const date = untilOf(expiresOn, texts);
  if (files.length === 0) return date === '' ? '' : texts.say('mail.availableUntil', { date });
  const parts = [texts.say('mail.fileCount', { fileCount: files.length }), totalSize(files, texts)];
  if (date !== '') parts.push(texts.say('mail.untilShort', { date }));
  return parts.join(', ');
}

export function totalSize(files: MailFile[], texts: Texts): string {
  return texts.size(files.reduce((sum, file) => sum + file.sizeBytes, 0));
}

function limitText(sharing: Sharing, texts: Texts): string {
  if (sharing.downloadLimit === null) return texts.say('mail.unlimited');
  return texts.say('mail.limitShort', { limit: sharing.downloadLimit });
}

function audienceSentence(
  { audience, recipientCount: n = 2 }: Pick<Sharing, 'audience' | 'recipientCount'>,
  texts: Texts,
  { organisation }: Sender,
): string {
  switch (audience) {
    case 'anyone':
      return texts.say('mail.audienceAnyone');
    case 'anyoneSignedIn':
      return texts.say('mail.audienceConfirmed');
    case 'recipientsAndLocal':
      return texts.say('mail.audienceLocal', { n, organisation });
    case 'recipientsOnly':
      return texts.say('mail.audienceRecipients', { n });
    case 'recipientsAndDomains':
      return texts.say('mail.audienceDomains', { n });
  }
}

function audienceText(audience: MailAudience, texts: Texts, { organisation }: Sender): string {
  switch (audience) {
    case 'anyone':
      return texts.say('mail.sharedAnyone');
    case 'anyoneSignedIn':
      return texts.say('mail.sharedConfirmed');
    case 'recipientsAndLocal':
      return texts.say('mail.sharedLocal', { organisation });
    case 'recipientsOnly':
      return texts.say('mail.sharedRecipients');
    case 'recipientsAndDomains':
      return texts.say('mail.sharedDomains');
  }
}
