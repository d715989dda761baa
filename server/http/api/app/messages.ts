// Sent messages: the list, the tracker, the timeline, changes.
import { activityLine } from '#contract/app/messages.ts';
import { encoderOf } from '#contract/codec.ts';
import { findNames } from '../../../actions/contacts/names.ts';
import type { Ctx } from '../../../actions/context.ts';
import { allowMoreDownloads, extendMessage } from '../../../actions/messages/changes.ts';
import { deleteMessageFiles, stopSharing } from '../../../actions/messages/ending.ts';
import { getExposure, listExposures } from '../../../actions/messages/exposure.ts';
import { removeFile } from '../../../actions/messages/file-removal.ts';
import { messageUrl } from '../../../actions/messages/mails.ts';
import {
  addRecipients,
  correctRecipient,
  reportWrongRecipient,
  resendToRecipient,
  revokeRecipient,
} from '../../../actions/messages/recipients.ts';
import { remindRecipients } from '../../../actions/messages/reminders.ts';
import { senderActionsFor } from '../../../actions/messages/sender-actions.ts';
import { listSentMessages } from '../../../actions/messages/sent.ts';
import { type ActivityLine, listActivityPage, readActivity } from '../../../actions/messages/timeline.ts';
import { trackMessage } from '../../../actions/messages/tracker.ts';
import type { UserCaller } from '../../../domain/caller.ts';
import { notFound } from '../../../domain/problem.ts';
import { isId } from '../../../lib/ids.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sendCsv, sendJsonFile } from '../../transport/exports.ts';

const encodeActivity = encoderOf(activityLine);
const activityTable = {
  columns: ['at', 'kind', 'action', 'actor', 'address', 'ip', 'facts'],
  cells(line: ActivityLine) {
    const { at, kind, action, actor, address, ip, facts } = encodeActivity(line);
    return [at, kind, action, actor, address, ip, JSON.stringify(facts)];
  },
};

export function serveSentMessages(serve: Serve): void {
  serve('listSentMessages', async ({ ctx, caller, query }) => {
    const found = await listSentMessages(ctx, caller, query);
    const people = found.items.flatMap((message) => message.people);
    return { ...found, names: await findNames(ctx, caller, people) };
  });

  serve('getSentMessage', ({ ctx, caller, params }) => getOne(ctx, caller, idOf(params)));

  serve('listMessageActivity', ({ ctx, caller, params, query }) => listActivityPage(ctx, caller, idOf(params), query));

  serve('exportMessageActivity', async ({ ctx, caller, params, query, response, requestId }) => {
    const id = idOf(params);
    const pages = readActivity(ctx, caller, id, query.kind);
    const name = `activity-${id}`;
    if (query.format === 'csv') await sendCsv({ response, requestId }, name, pages, activityTable);
    else await sendJsonFile({ response, requestId }, { name, list: 'events' }, pages, encodeActivity);
    return alreadySent;
  });

  serve('getExposure', async ({ ctx, caller, params }) => ({
    exposure: await getExposure(ctx, caller, idOf(params), params.address),
  }));

  serveChanges(serve);
  servePeople(serve);
}

function serveChanges(serve: Serve): void {
  serve('extendMessage', async ({ ctx, caller, params, body }) => {
    await extendMessage(ctx, caller, idOf(params), body.expiresOn);
    return getOne(ctx, caller, params.id);
  });

  serve('allowMoreDownloads', async ({ ctx, caller, params, body }) => {
    await allowMoreDownloads(ctx, caller, idOf(params), body);
    return getOne(ctx, caller, params.id);
  });

  serve('revokeMessage', async ({ ctx, caller, params }) => {
    await stopSharing(ctx, caller, idOf(params));
    return getOne(ctx, caller, params.id);
  });

  serve('deleteMessageFiles', async ({ ctx, caller, params }) => {
    await deleteMessageFiles(ctx, caller, idOf(params));
    return getOne(ctx, caller, params.id);
  });

  serve('removeMessageFile', async ({ ctx, caller, params }) => {
    await removeFile(ctx, caller, idOf(params), params.file);
    return getOne(ctx, caller, params.id);
  });
}

function servePeople(serve: Serve): void {
  serve('remindRecipients', async ({ ctx, caller, params, body }) => {
    const reminded = await remindRecipients(ctx, caller, idOf(params), body.addresses);
    return { reminded, ...(await getOne(ctx, caller, params.id)) };
  });

  serve('addRecipients', async ({ ctx, caller, params, body }) => {
    await addRecipients(ctx, caller, idOf(params), body);
    return getOne(ctx, caller, params.id);
  });

  serve('correctRecipient', async ({ ctx, caller, params, body }) => {
    await correctRecipient(ctx, caller, idOf(params), { from: params.address, to: body.address });
    return getOne(ctx, caller, params.id);
  });

  serve('resendToRecipient', async ({ ctx, caller, params }) => {
    await resendToRecipient(ctx, caller, idOf(params), params.address);
    return getOne(ctx, caller, params.id);
  });

  serve('revokeRecipient', async ({ ctx, caller, params }) => {
    await revokeRecipient(ctx, caller, idOf(params), params.address);
    return getOne(ctx, caller, params.id);
  });

  serve('reportWrongRecipient', async ({ ctx, caller, params, body }) => {
    const exposure = await reportWrongRecipient(ctx, caller, idOf(params), body.address);
    return { exposure, ...(await getOne(ctx, caller, params.id)) };
  });
}

/** Every change returns the changed message. */
async function getOne(ctx: Ctx, caller: UserCaller, id: string) {
  const tracker = await trackMessage(ctx, caller, id);
  const exposures = await listExposures(ctx, tracker);
  const people = [...tracker.people, ...tracker.others, ...exposures].map(({ address }) => address);
  const names = await findNames(ctx, caller, [...people, ...tracker.people.map(({ replacedBy }) => replacedBy)]);
  const offers = senderActionsFor(ctx, caller, tracker);
  return { message: { ...tracker.message, ...tracker, url: messageUrl(ctx, id), offers, exposures, names } };
}

/** Rejects malformed ids before they reach the database. */
function idOf(params: { id: string }): string {
  if (!isId(params.id)) throw notFound('message');
  return params.id;
}
