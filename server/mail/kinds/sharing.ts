// Sentences that several kinds share: until when, who can open it, how often, how many files.
import type { Fact, MailFile } from '../blocks.ts';
import type { Words } from '../text.ts';
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
  /** Per file; null means unlimited. */
  downloadLimit: number | null;
}

/** Empty if there is no end. */
export function untilOf(expiresOn: string | null, words: Words): string {
  return expiresOn === null ? '' : words.date(expiresOn);
}

/** For recipients: sentences. */
export function sharingSentences(sharing: Sharing, fileCount: number, words: Words, sender: Sender): Fact[] {
  const facts: Fact[] = [];
  if (sharing.expiresOn !== null) facts.push(untilSentence(sharing.expiresOn, words));
  facts.push({ sentence: audienceSentence(sharing.audience, words, sender) });
  if (sharing.downloadLimit !== null && fileCount > 0) {
    facts.push({ sentence: words.say('mail.downloadLimit', { limit: sharing.downloadLimit, fileCount }) });
  }
  return facts;
}

export function untilSentence(expiresOn: string, words: Words): Fact {
  const date = words.date(expiresOn);
  return { sentence: words.say('mail.availableUntil', { date }), strong: date };
}

/** For the sender: labels and values. */
export function sharingFacts(sharing: Sharing, fileCount: number, words: Words, sender: Sender): Fact[] {
  const until = untilOf(sharing.expiresOn, words) || words.say('mail.noEnd');
  const facts: Fact[] = [
    { label: words.say('mail.labelUntil'), value: until },
    { label: words.say('mail.labelAudience'), value: audienceWords(sharing.audience, words, sender) },
  ];
  if (fileCount > 0) facts.push({ label: words.say('mail.labelDownloads'), value: limitWords(sharing, words) });
  return facts;
}

/** `3 files, 1.2 GB, until Monday 30 November 2026`. */
export function glance(files: MailFile[], expiresOn: string | null, words: Words): string {
  const parts: string[] = [];
  if (files.length > 0) parts.push(words.say('mail.fileCount', { fileCount: files.length }), totalSize(files, words));
  if (expiresOn !== null) parts.push(words.say('mail.untilShort', { date: words.date(expiresOn) }));
  return parts.join(', ');
}

export function totalSize(files: MailFile[], words: Words): string {
  return words.size(files.reduce((sum, file) => sum + file.sizeBytes, 0));
}

function limitWords(sharing: Sharing, words: Words): string {
  if (sharing.downloadLimit === null) return words.say('mail.unlimited');
  return words.say('mail.limitShort', { limit: sharing.downloadLimit });
}

function audienceSentence(audience: MailAudience, words: Words, { organisation }: Sender): string {
  switch (audience) {
    case 'anyone':
      return words.say('mail.audienceAnyone');
    case 'anyoneSignedIn':
      return words.say('mail.audienceConfirmed');
    case 'recipientsAndLocal':
      return words.say('mail.audienceLocal', { organisation });
    case 'recipientsOnly':
      return words.say('mail.audienceRecipients');
    case 'recipientsAndDomains':
      return words.say('mail.audienceDomains');
  }
}

function audienceWords(audience: MailAudience, words: Words, { organisation }: Sender): string {
  switch (audience) {
    case 'anyone':
      return words.say('mail.sharedAnyone');
    case 'anyoneSignedIn':
      return words.say('mail.sharedConfirmed');
    case 'recipientsAndLocal':
      return words.say('mail.sharedLocal', { organisation });
    case 'recipientsOnly':
      return words.say('mail.sharedRecipients');
    case 'recipientsAndDomains':
      return words.say('mail.sharedDomains');
  }
}
