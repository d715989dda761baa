import type { z } from 'zod';
import { encoderOf } from '#contract/codec.ts';
import type { endpoints } from '#contract/endpoints.ts';
import { type listMessagesQuery, message as messageSchema } from '#contract/messages.ts';
import type { Ctx } from '../../actions/context.ts';
import { readMessageDownloads } from '../../actions/downloads/log.ts';
import { revokeMessage } from '../../actions/messages/ending.ts';
import { fileUrl, type MessageFileInput, openMessageFile } from '../../actions/messages/files-by-key.ts';
import { openInlineFiles } from '../../actions/messages/inline-files.ts';
import { readInbox, readSent } from '../../actions/messages/lists.ts';
import { embeddable, messageUrl } from '../../actions/messages/mails.ts';
import { getMessage, readMessage } from '../../actions/messages/reading.ts';
import { sendMessage } from '../../actions/messages/send.ts';
import { dryRunMessage, type PlannedMessage } from '../../actions/policy/dry-runs.ts';
import type { Message } from '../../domain/messages.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { isId } from '../../lib/ids.ts';
import { sendFile } from '../downloads/transfer.ts';
import { alreadySent, type Call, idempotencyKey, parseBody, type Serve } from '../endpoint.ts';
import { visitorOf } from '../identity/visitors.ts';
import { sendList } from '../transport/answers.ts';
import { rangeLength } from '../transport/ranges.ts';
import { encodeDownload } from './downloads.ts';
import { readInstant } from './instants.ts';
import { readMessageBody, withoutBytes } from './message-bodies.ts';
import { filesOf, plannedFilesOf } from './message-input.ts';

const encodeMessage = encoderOf(messageSchema);

export function serveMessages(serve: Serve): void {
  serve('sendMessage', send);

  serve('getMessage', async ({ ctx, caller, params }) => ({
    message: withUrls(ctx, await getMessage(ctx, caller, params.id)),
  }));

  serve('readMessage', async ({ ctx, caller, params }) => ({
    message: withUrls(ctx, await readMessage(ctx, caller, params.id)),
  }));

  serve('listInbox', async ({ ctx, caller, query, response, requestId }) => {
    const pages = readInbox(ctx, caller, readWanted(ctx, query));
    await sendList({ response, requestId }, 'messages', pages, (message) => encodeMessage(withUrls(ctx, message)));
    return alreadySent;
  });

  serve('listSent', async ({ ctx, caller, query, response, requestId }) => {
    const pages = readSent(ctx, caller, readWanted(ctx, query));
    await sendList({ response, requestId }, 'sent', pages, (message) => encodeMessage(withUrls(ctx, message)));
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

/** Existing clients accept no redirect. */
async function sendMessageFile(call: Call<(typeof endpoints)['getMessageFile']>): Promise<typeof alreadySent> {
  const { deps, ctx, caller, params, raw } = call;
  if (!isId(params.id) || !isId(params.attachment)) throw notFound('file');
  const file = { messageId: params.id, attachmentId: params.attachment, token: params.token };
  const send = async (rangeBytes: MessageFileInput['rangeBytes']) => {
    const delivery = await openMessageFile(ctx, caller, { ...file, rangeBytes });
    await sendFile({ ...call, caller, visitor: visitorOf(deps, raw), delivery });
  };
  const { range } = raw.headers;
  try {
    await send(range === undefined ? null : (sizeBytes) => rangeLength(range, sizeBytes));
  } catch (error) {
    // Other ranges used up this download; the next one may include the whole file.
    if (range === undefined || !(error instanceof Problem) || error.code !== 'download.used_up') throw error;
    await send((sizeBytes) => sizeBytes);
  }
  return alreadySent;
}

/** Files that do not become part of the message are erased. */
async function send(call: Call<(typeof endpoints)['sendMessage']>) {
  const { ctx, caller } = call;
  const files = openInlineFiles(ctx, caller);
  let dryRunInput: PlannedMessage;
  try {
    const value = await readMessageBody(call, files);
    await call.callerAfterBody();
    const { attachments, dryRun, ...input } = parseBody('sendMessage', value).message;
    if (dryRun !== true) {
      const message = await sendMessage(ctx, caller, {
        ...input,
        files: await filesOf(caller, attachments),
        once: idempotencyKey(call, 'sendMessage', () => withoutBytes(value)),
      });
      call.deps.meters.messagesSent.value += 1;
      await files.end(message.files.map((file) => file.attachmentId));
      return { message: { ...message, ...embeddable(ctx, message), url: messageUrl(ctx, message.id) } };
    }
    dryRunInput = { ...input, files: plannedFilesOf(attachments) };
  } catch (error) {
    await files.discard(error);
    throw error;
  }
  // Release the reserved space before the rules check the quota.
  await files.end([]);
  return { dryRun: { rules: await dryRunMessage(ctx, caller, dryRunInput) } };
}

/** `sentAfter` or the last hours, whichever is later. */
function readWanted(ctx: Ctx, query: z.output<typeof listMessagesQuery>) {
  const { sentAfter, sentInTheLastHours: hours, limit } = query;
  const after = readInstant(ctx, sentAfter, { code: 'messages.bad_sent_after', name: 'sent_after' });
  if (hours === null) return { after, limit };
  return { after: Math.max(after ?? 0, ctx.clock.now() - hours * 3_600_000), limit };
}

function withUrls(ctx: Ctx, message: Message) {
  const files = message.files.map((file) => ({ ...file, url: fileUrl(ctx, message.id, file) }));
  return { ...message, files, url: messageUrl(ctx, message.id) };
}
