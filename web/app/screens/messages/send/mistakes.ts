// What must be corrected, by field. The server checks everything again.
import type { FileStatus } from '../../../../../transfer/states.ts';
import { totalsOf } from '../../../../../transfer/states.ts';
import type { Me } from '../../../me.ts';
import type { Text } from '../../../texts.ts';
import type { MissingFile } from '../../../transfers/engine.ts';
import type { Mistake } from '../../../ui/error-summary.tsx';
import { isAddress } from '../../../ui/recipients.ts';
import { choicesOf, type Draft, isForRecipients, peopleOf } from './draft.ts';
import type { SendMethod } from './outgoing.ts';

export const sendFields = {
  people: 'send-to',
  subject: 'send-subject',
  text: 'send-text',
  files: 'send-files',
} as const;

interface Facts {
  draft: Draft;
  me: Me;
  files: FileStatus[];
  awaited: MissingFile[];
  refusalOf: (address: string) => string | null;
  size: (bytes: number) => string;
}

export function totalBytesOf(draft: Draft, files: FileStatus[]): number {
  return draft.earlier.reduce((sum, { sizeBytes }) => sum + sizeBytes, totalsOf(files).totalBytes);
}

export function mistakesIn(facts: Facts, method: SendMethod, text: Text<'send'>, ui: Text<'ui'>): Mistake[] {
  const { draft, me, files, awaited, size } = facts;
  const found: Mistake[] = [];
  const add = (fieldId: string, sentence: string) => void found.push({ fieldId, sentence });
  if (method !== 'links')
    for (const sentence of peopleMistakes(facts, method, text, ui)) add(sendFields.people, sentence);
  const bytesOf = (value: string) => new TextEncoder().encode(value).length;
  if (bytesOf(draft.subject) > me.limits.max_subject_bytes) add(sendFields.subject, text('subjectLong'));
  if (bytesOf(draft.html || draft.text) > me.limits.max_text_bytes) add(sendFields.text, text('textLong'));
  for (const { name } of awaited) add(sendFields.files, text('wantAwaited', { file: name }));
  for (const { state, source } of files)
    if (state === 'failed') add(sendFields.files, text('wantFile', { file: source.name }));
  const limitBytes = me.policy.message_max_size * 1024 * 1024;
  const totalBytes = totalBytesOf(draft, files);
  if (totalBytes > limitBytes)
    add(sendFields.files, text('tooLarge', { size: size(totalBytes), limit: size(limitBytes) }));
  const hasText = method !== 'links' && draft.text.trim() !== '';
  const isEmpty = totalBytes === 0 && !hasText && awaited.length === 0;
  if (isEmpty) add(sendFields.files, text(method === 'links' ? 'wantFiles' : 'wantSomething'));
  return found;
}

function peopleMistakes(
  { draft, me, refusalOf }: Facts,
  method: SendMethod,
  text: Text<'send'>,
  ui: Text<'ui'>,
): string[] {
  const people = peopleOf(draft);
  if (people.length === 0 && method === 'mail') return [text('wantPeople')];
  if (people.length === 0 && isForRecipients(draft))
    return [text(choicesOf(me.policy).level ? 'wantPeopleLink' : 'wantPeopleLinkLocked')];
  if (people.length > me.limits.max_recipients)
    return [text('tooManyPeople', { max: me.limits.max_recipients, n: people.length })];
  return people.flatMap(({ address }) =>
    isAddress(address) ? (refusalOf(address) ?? []) : [ui('recipientBad', { address })],
  );
}

export function fieldOf(name: string | null): string | null {
  const fields: Record<string, string> = {
    recipients: sendFields.people,
    cc: sendFields.people,
    bcc: sendFields.people,
    subject: sendFields.subject,
    message: sendFields.text,
    attachments: sendFields.files,
  };
  return name === null ? null : (fields[name] ?? null);
}
