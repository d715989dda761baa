// Apply every rule for a message, link or request without any effect.
import { findAttachment } from '../../db/attachments/attachments.ts';
import { findFindings } from '../../db/scanning/file-contents.ts';
import { refuseExtension } from '../../domain/attachments.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { assertMayUseLinks } from '../../domain/file-links.ts';
import { assertPermittedSize } from '../../domain/messages.ts';
import { cleanFileName } from '../../lib/file-name.ts';
import { checkConfirmedEmail } from '../account/addresses.ts';
import { getOwnReadyFile } from '../attachments/holding.ts';
import type { Ctx } from '../context.ts';
import { type LinkInput, resolveLink } from '../file-links/settings.ts';
import { type RequestInput, resolveRequest } from '../file-requests/file-requests.ts';
import { describeInlineFile, type InlineFacts, type StoredBytes } from '../messages/inline-files.ts';
import { type MessageInput, resolveMessage } from '../messages/rules.ts';
import { requireMailsLeft } from '../outbox.ts';
import { openRules, type Rules, type Verdict } from '../rules.ts';
import { checkContents } from '../scanning/contents.ts';
import { requireQuota } from '../uploads/quota.ts';

/** Not uploaded. */
export interface PlannedFile {
  fileName: string;
  sizeBytes: number;
  /** Set for a file within the request, whose bytes are erased by now. */
  inline: { stored: StoredBytes; facts: InlineFacts } | null;
}

export interface PlannedMessage extends MessageInput {
  /** Ids of uploaded files, and planned files. */
  files: (string | PlannedFile)[];
}

export async function dryRunMessage(ctx: Ctx, caller: UserCaller, input: PlannedMessage): Promise<Verdict[]> {
  const rules = openRules();
  const named = input.files.filter((file) => typeof file !== 'string');
  await checkFileTypes(caller, named, rules);
  const { recipients } = await resolveMessage(ctx, caller, input, rules);
  if (input.sendEmail && recipients !== undefined)
    await checkMailsLeft(ctx, caller, [...recipients.to, ...recipients.cc, ...recipients.bcc], rules);
  await checkQuota(ctx, caller, named, rules);
  const ids = new Set(input.files.filter((file) => typeof file === 'string'));
  const uploadedBytes = await rules.check({ code: 'message.attachment_unknown', source: 'installation' }, async () => {
    let bytes = 0;
    for (const id of ids) bytes += (await getOwnReadyFile(ctx.db.read, caller, id, 'message')).sizeBytes;
    return bytes;
  });
  await checkUploadedContents(ctx, caller, [...ids], rules);
  if (uploadedBytes !== undefined)
    await rules.check({ code: 'message.too_large', source: 'message_max_size' }, () =>
      assertPermittedSize(caller.policy, uploadedBytes + bytesOf(named)),
    );
  return rules.verdicts();
}

export interface PlannedLink extends LinkInput {
  file: string | PlannedFile;
}

export async function dryRunLink(ctx: Ctx, caller: UserCaller, input: PlannedLink): Promise<Verdict[]> {
  const rules = openRules();
  await rules.check({ code: 'link.not_permitted', source: 'can_use_filelinks' }, () =>
    assertMayUseLinks(caller.policy),
  );
  await checkConfirmedEmail(caller, rules);
  await resolveLink(ctx, caller, input, rules);
  const { file } = input;
  if (typeof file === 'string')
    await rules.check({ code: 'link.attachment_unknown', source: 'installation' }, () =>
      getOwnReadyFile(ctx.db.read, caller, file, 'link'),
    );
  if (typeof file === 'string') await checkUploadedContents(ctx, caller, [file], rules);
  else {
    await checkFileTypes(caller, [file], rules);
    await checkQuota(ctx, caller, [file], rules);
  }
  return rules.verdicts();
}

export async function dryRunRequest(ctx: Ctx, caller: UserCaller, input: RequestInput): Promise<Verdict[]> {
  const rules = openRules();
  const { recipient } = await resolveRequest(ctx, caller, input, rules);
  if (input.sendEmail && recipient !== undefined) await checkMailsLeft(ctx, caller, [recipient], rules);
  return rules.verdicts();
}

async function checkFileTypes(caller: UserCaller, files: PlannedFile[], rules: Rules): Promise<void> {
  if (files.length === 0) return;
  const { policy } = caller;
  const source = policy.permitted_extensions === '' ? 'blocked_extensions' : 'permitted_extensions';
  await rules.check({ code: 'attachment.extension_not_permitted', source }, async () => {
    for (const { fileName, inline } of files) {
      const refusal = refuseExtension(policy, cleanFileName(fileName));
      if (refusal !== null) throw refusal;
      if (inline !== null) await describeInlineFile(caller, inline.stored, inline.facts);
    }
  });
}

/** Files that were not inspected yet, and those of others, say nothing. */
async function checkUploadedContents(ctx: Ctx, caller: UserCaller, ids: string[], rules: Rules): Promise<void> {
  if (ids.length === 0) return;
  const files = await Promise.all(ids.map((id) => findAttachment(ctx.db.read, id)));
  const held = files.filter((file) => file?.ownerId === caller.userId && file.scanState === 'held');
  const findings = await findFindings(
    ctx.db.read,
    held.map((file) => file!.id),
  );
  await checkContents(rules, caller.policy, [...findings.values()]);
}

async function checkMailsLeft(ctx: Ctx, caller: UserCaller, addresses: string[], rules: Rules): Promise<void> {
  await rules.check({ code: 'message.mail_limit', source: 'installation' }, () =>
    requireMailsLeft(ctx, ctx.db.read, caller, addresses),
  );
}

async function checkQuota(ctx: Ctx, caller: UserCaller, files: PlannedFile[], rules: Rules): Promise<void> {
  if (files.length === 0) return;
  await rules.check({ code: 'attachment.quota_full', source: 'storage_quota' }, () =>
    requireQuota(ctx, caller, bytesOf(files)),
  );
}

function bytesOf(files: PlannedFile[]): number {
  return files.reduce((sum, file) => sum + file.sizeBytes, 0);
}
