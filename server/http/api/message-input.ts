import type { z } from 'zod';
import type { createMessage } from '#contract/messages.ts';
import { describeInlineFile, type InlineFile } from '../../actions/messages/inline-files.ts';
import type { PlannedFile } from '../../actions/policy/dry-runs.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, type Problem } from '../../domain/problem.ts';
import { isId } from '../../lib/ids.ts';
import { storedBytesOf } from './message-bodies.ts';

type AttachmentInput = z.output<typeof createMessage>['message']['attachments'][number];
type InlineInput = Exclude<AttachmentInput, string>;

export async function filesOf(caller: UserCaller, attachments: AttachmentInput[]): Promise<(string | InlineFile)[]> {
  const files: (string | InlineFile)[] = [];
  for (const attachment of attachments) {
    if (typeof attachment === 'string') {
      files.push(knownId(attachment));
      continue;
    }
    const stored = storedBytesOf(attachment.data);
    if (stored === null) throw noData(attachment, 'has no Base64 "data"');
    files.push(await describeInlineFile(caller, stored, attachment));
  }
  return files;
}

export function plannedFilesOf(attachments: AttachmentInput[]): (string | PlannedFile)[] {
  return attachments.map((attachment) => {
    if (typeof attachment === 'string') return knownId(attachment);
    const stored = storedBytesOf(attachment.data);
    const sizeBytes = stored?.received.sizeBytes ?? readSize(attachment.size);
    if (sizeBytes === null) throw noData(attachment, 'needs its "size" in bytes');
    const inline = stored === null ? null : { stored, facts: attachment };
    return { fileName: attachment.fileName, sizeBytes, inline };
  });
}

/** Malformed ids never reach the database. */
function knownId(text: string): string {
  return isId(text) ? text : '';
}

/** Only dry runs use it, and existing clients may send anything. */
function readSize(size: unknown): number | null {
  return Number.isSafeInteger(size) && (size as number) >= 0 ? (size as number) : null;
}

function noData({ fileName }: InlineInput, what: string): Problem {
  return invalid('attachment.no_data', `The attachment "${fileName.slice(0, 100)}" ${what}.`, 'data');
}
