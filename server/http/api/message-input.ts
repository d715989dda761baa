// What a message on the wire asks for: the fields of `POST /message`, for sending it and for dry runs of it.
import type { z } from 'zod';
import type { createMessage } from '#contract/messages.ts';
import { describeInlineFile, type InlineFacts, type InlineFile } from '../../actions/messages/inline-files.ts';
import type { MessageWishes } from '../../actions/messages/rules.ts';
import type { PlannedFile } from '../../actions/policy/dry-runs.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, type Problem } from '../../domain/problem.ts';
import { isId } from '../../lib/ids.ts';
import { storedBytesOf } from './message-bodies.ts';

type MessageInput = z.output<typeof createMessage>['message'];
type AttachmentInput = NonNullable<MessageInput['attachments']>[number];
type InlineInput = Exclude<AttachmentInput, string>;

export function wishesOf(message: MessageInput): MessageWishes {
  return {
    to: listOf(message.recipients),
    cc: listOf(message.cc),
    bcc: listOf(message.bcc),
    sender: message.sender,
    subject: message.subject ?? '',
    body: message.message ?? '',
    bodyFormat: message.message_format,
    expiresOn: message.expires_at,
    downloadLimit: message.expires_after,
    sendEmail: message.send_email ?? false,
    language: message.language,
    copyToSender: message.bcc_myself,
    isPrivate: message.private_message,
    authorization: message.authorization,
  };
}

export async function filesOf(caller: UserCaller, attachments: AttachmentInput[]): Promise<(string | InlineFile)[]> {
  const files: (string | InlineFile)[] = [];
  for (const attachment of attachments) {
    if (typeof attachment === 'string') {
      files.push(knownId(attachment));
      continue;
    }
    const stored = storedBytesOf(attachment.data);
    if (stored === null) throw noData(attachment, 'has no Base64 "data"');
    files.push(await describeInlineFile(caller, stored, factsOf(attachment)));
  }
  return files;
}

/** The files of a dry run: a name and a size are enough. */
export function plannedFilesOf(attachments: AttachmentInput[]): (string | PlannedFile)[] {
  return attachments.map((attachment) => {
    if (typeof attachment === 'string') return knownId(attachment);
    const stored = storedBytesOf(attachment.data);
    const sizeBytes = stored?.received.sizeBytes ?? readSize(attachment.size);
    if (sizeBytes === null) throw noData(attachment, 'needs its "size" in bytes');
    const inline = stored === null ? null : { stored, facts: factsOf(attachment) };
    return { fileName: attachment.filename, sizeBytes, inline };
  });
}

/** Whatever is not an id cannot be one of ours, and never reaches the database. */
function knownId(text: string): string {
  return isId(text) ? text : '';
}

/** Not checked by the contract: outside dry runs it means nothing, and clients may send whatever they like. */
function readSize(size: unknown): number | null {
  return Number.isSafeInteger(size) && (size as number) >= 0 ? (size as number) : null;
}

function factsOf({ filename, content_type, checksum, crc32 }: InlineInput): InlineFacts {
  return { fileName: filename, contentType: content_type, checksum, crc32 };
}

function noData({ filename }: InlineInput, what: string): Problem {
  return invalid('attachment.no_data', `The attachment "${filename.slice(0, 100)}" ${what}.`, 'data');
}

/** An array, or addresses separated by commas. */
function listOf(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  return (typeof value === 'string' ? value.split(',') : value)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
