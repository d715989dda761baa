// Messages: sending, reading back, fetching files by key, withdrawing.
import { audienceDescriptions } from '#contract/audiences.ts';
import type { DryRunBody } from '#contract/dry-runs.ts';
import type { endpoints } from '#contract/endpoints.ts';
import type { CreatedMessageBody, MessageBody } from '#contract/messages.ts';
import { humanSize } from '#contract/sizes.ts';
import type { Ctx } from '../../actions/context.ts';
import { readMessageDownloads } from '../../actions/downloads/log.ts';
import { revokeMessage } from '../../actions/messages/ending.ts';
import { fileUrl, openMessageFile, type WantedFile } from '../../actions/messages/files-by-key.ts';
import { openInlineFiles } from '../../actions/messages/inline-files.ts';
import { readInbox, readSent } from '../../actions/messages/lists.ts';
import { embeddable, messageUrl } from '../../actions/messages/mails.ts';
import { getMessage, readMessage } from '../../actions/messages/reading.ts';
import { sendMessage } from '../../actions/messages/send.ts';
import { dryRunMessage, type PlannedMessage } from '../../actions/policy/dry-runs.ts';
import { levelOf } from '../../domain/audience.ts';
import type { Message } from '../../domain/messages.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import { isoInstant, parseDateOrInstant } from '../../lib/dates.ts';
import { isId } from '../../lib/ids.ts';
import { sendFile } from '../downloads/transfer.ts';
import { alreadySent, type Call, idempotencyKey, parseBody, type Serve } from '../endpoint.ts';
import { visitorOf } from '../identity/visitors.ts';
import { sendList } from '../transport/answers.ts';
import { rangeLength } from '../transport/ranges.ts';
import { encodeDownload } from './downloads.ts';
import { dryRunBody } from './dry-runs.ts';
import { readMessageBody, withoutBytes } from './message-bodies.ts';
import { filesOf, plannedFilesOf, wishesOf } from './message-input.ts';

export function serveMessages(serve: Serve): void {
  serve('sendMessage', send);

  serve('getMessage', async ({ ctx, caller, params }) => ({
    message: messageBody(ctx, await getMessage(ctx, caller, params.id)),
  }));

  serve('readMessage', async ({ ctx, caller, params }) => ({
    message: messageBody(ctx, await readMessage(ctx, caller, params.id)),
  }));

  serve('listInbox', async ({ ctx, caller, query, response, requestId }) => {
    const pages = readInbox(ctx, caller, readWanted(ctx, query));
    await sendList({ response, requestId }, 'messages', pages, (message) => messageBody(ctx, message));
    return alreadySent;
  });

  serve('listSent', async ({ ctx, caller, query, response, requestId }) => {
    const pages = readSent(ctx, caller, readWanted(ctx, query));
    await sendList({ response, requestId }, 'sent', pages, (message) => messageBody(ctx, message));
    return alreadySent;
  });

  serve('getMessageFile', sendMessageFile);

  serve('deleteMessageAttachments', ({ ctx, caller, params }) => revokeMessage(ctx, caller, params.id));

  serve('listMessageDownloads', async ({ ctx, caller, params, response, requestId }) => {
    await sendList(
      { response, requestId },
      'downloads',
      await readMessageDownloads(ctx, caller, params.id),
      encodeDownload,
    );
    return alreadySent;
  });
}

/** Raw bytes whatever the client says it accepts; no redirect (compatibility rule 14). */
async function sendMessageFile(call: Call<(typeof endpoints)['getMessageFile']>): Promise<typeof alreadySent> {
  const { deps, ctx, caller, params, raw } = call;
  if (!isId(params.id) || !isId(params.attachment)) throw notFound('file');
  const file = { messageId: params.id, attachmentId: params.attachment, token: params.token };
  const send = async (rangeBytes: WantedFile['rangeBytes']) => {
    const delivery = await openMessageFile(ctx, caller, { ...file, rangeBytes });
    await sendFile({ ...call, caller, visitor: visitorOf(deps, raw), delivery });
  };
  const { range } = raw.headers;
  try {
    await send(range === undefined ? null : (sizeBytes) => rangeLength(range, sizeBytes));
  } catch (error) {
    // Other ranges took the rest of the same download meanwhile: the next one has room for the whole file.
    if (range === undefined || !(error instanceof Problem) || error.code !== 'download.used_up') throw error;
    await send((sizeBytes) => sizeBytes);
  }
  return alreadySent;
}

/** Bytes inside the body are stored while it is read; whatever does not become part of the message is erased again. */
async function send(
  call: Call<(typeof endpoints)['sendMessage']>,
): Promise<{ message: CreatedMessageBody } | DryRunBody> {
  const { ctx, caller } = call;
  const files = openInlineFiles(ctx, caller);
  let planned: PlannedMessage;
  try {
    const value = await readMessageBody(call, files);
    await call.callerAfterBody();
    const { message } = parseBody('sendMessage', value);
    if (message.dry_run !== true) {
      const created = await sendMessage(ctx, caller, {
        ...wishesOf(message),
        names: message.names ?? [],
        files: await filesOf(caller, message.attachments ?? []),
        once: idempotencyKey(call, 'sendMessage', () => withoutBytes(value)),
      });
      call.deps.meters.messagesSent.value += 1;
      await files.end(created.files.map((file) => file.attachmentId));
      return { message: createdBody(ctx, created) };
    }
    planned = { ...wishesOf(message), files: plannedFilesOf(message.attachments ?? []) };
  } catch (error) {
    await files.discard(error);
    throw error;
  }
  // Before the rules are looked at, so that room held for these bytes is not missing.
  await files.end([]);
  return dryRunBody(await dryRunMessage(ctx, caller, planned));
}

function readWanted(
  ctx: Ctx,
  query: { sent_after?: string | undefined; sent_in_the_last?: string | undefined; limit?: string | undefined },
) {
  const { timeZone } = ctx.settings.surroundings;
  let after: number | null = null;
  if (query.sent_after !== undefined && query.sent_after !== '') {
    after = parseDateOrInstant(query.sent_after, timeZone);
    if (after === null)
      throw invalid(
        'messages.bad_sent_after',
        'The parameter "sent_after" must be a date written as YYYY-MM-DD.',
        'sent_after',
      );
  }
  if (query.sent_in_the_last !== undefined && query.sent_in_the_last !== '') {
    after = Math.max(
      after ?? 0,
      ctx.clock.now() - readCount(query.sent_in_the_last, 'sent_in_the_last', 'messages.bad_hours') * 3_600_000,
    );
  }
  const limit =
    query.limit === undefined || query.limit === '' ? null : readCount(query.limit, 'limit', 'messages.bad_limit');
  return { after, limit };
}

function readCount(text: string, name: string, code: string): number {
  if (!/^\d{1,9}$/.test(text)) throw invalid(code, `The parameter "${name}" must be a whole number.`, name);
  return Number(text);
}

function createdBody(ctx: Ctx, message: Message): CreatedMessageBody {
  const { plain, html } = embeddable(ctx, message);
  return {
    id: message.id,
    url: messageUrl(ctx, message.id),
    expires_at: message.expiresOn,
    expires_after: message.downloadLimit ?? 0,
    authorization: levelOf(message.audience),
    authorization_description: audienceDescriptions[message.audience],
    private_message: message.isPrivate,
    plain,
    html,
    html_64: Buffer.from(html).toString('base64'),
    plain_64: Buffer.from(plain).toString('base64'),
  };
}

function messageBody(ctx: Ctx, message: Message): MessageBody {
  return {
    id: message.id,
    sender: message.sender,
    recipients: message.recipients,
    ccs: message.ccs,
    ...(message.bccs === null ? {} : { bccs: message.bccs }),
    created_at: isoInstant(message.createdAt),
    expires_at: message.expiresOn,
    expires_after: message.downloadLimit ?? 0,
    size: message.sizeBytes,
    authorization: levelOf(message.audience),
    authorization_description: audienceDescriptions[message.audience],
    private_message: message.isPrivate,
    url: messageUrl(ctx, message.id),
    subject: message.subject,
    message: message.body,
    ...(message.bodyHtml === null ? {} : { message_html: message.bodyHtml }),
    ...(message.isTextWithheld ? { text_withheld: true as const } : {}),
    attachments: message.files.map((file) => ({
      id: file.attachmentId,
      filename: file.fileName,
      size: file.sizeBytes,
      size_human: humanSize(file.sizeBytes),
      content_type: file.contentType,
      checksum: file.sha256,
      crc32: file.crc32,
      available: file.isAvailable,
      url: fileUrl(ctx, message.id, file),
    })),
  };
}
