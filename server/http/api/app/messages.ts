// Sent messages for the web app: the list, the tracker, the timeline, and what the sender can do.
import type { SentMessageBody } from '#contract/app/messages.ts';
import { findNames } from '../../../actions/contacts/names.ts';
import type { Ctx } from '../../../actions/context.ts';
import { allowMoreDownloads, extendMessage } from '../../../actions/messages/changes.ts';
import { deleteMessageFiles, stopSharing } from '../../../actions/messages/ending.ts';
import { getExposure, listExposures } from '../../../actions/messages/exposure.ts';
import { offersFor } from '../../../actions/messages/offers.ts';
import {
  addRecipients,
  correctRecipient,
  reportWrongRecipient,
  resendToRecipient,
  revokeRecipient,
} from '../../../actions/messages/recipients.ts';
import { remindRecipients } from '../../../actions/messages/reminders.ts';
import { removeFile } from '../../../actions/messages/removing.ts';
import { listSentMessages, type SentWanted } from '../../../actions/messages/sent.ts';
import { listActivity, readActivity } from '../../../actions/messages/timeline.ts';
import { trackMessage } from '../../../actions/messages/tracker.ts';
import type { UserCaller } from '../../../domain/caller.ts';
import { activityKinds } from '../../../domain/events.ts';
import { invalid, notFound } from '../../../domain/problem.ts';
import { messageStateWords } from '../../../domain/tracking.ts';
import { csvLine } from '../../../lib/csv.ts';
import { addDays, parseDate, startOfDay } from '../../../lib/dates.ts';
import { isId } from '../../../lib/ids.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sendChunks, sendList } from '../../transport/answers.ts';
import {
  activityBody,
  activityCells,
  activityColumns,
  exposureBody,
  sentItemBody,
  sentMessageBody,
  shownPeople,
} from './sent-bodies.ts';

export function serveSentMessages(serve: Serve): void {
  serve('listSentMessages', async ({ ctx, caller, query }) => {
    const wanted = readWanted(ctx, query);
    const found = await listSentMessages(ctx, caller, wanted);
    const addresses = found.items.flatMap((item) => item.addresses.slice(0, shownPeople));
    return {
      messages: found.items.map(sentItemBody),
      names: await findNames(ctx, caller, addresses),
      total: found.total,
      page: wanted.page,
      size: wanted.size,
      is_cut: found.isCut,
    };
  });

  serve('getSentMessage', async ({ ctx, caller, params }) => ({ message: await tell(ctx, caller, idOf(params)) }));

  serve('listMessageActivity', async ({ ctx, caller, params, query }) => {
    const size = readCount(query.size, 'size', 50, 200);
    const kind = readKind(query.kind);
    const beforeSeq = query.before === undefined ? null : readCount(query.before, 'before', 1, Number.MAX_SAFE_INTEGER);
    const lines = await listActivity(ctx, caller, idOf(params), { kind, beforeSeq, size: size + 1 });
    const next = lines.length > size ? String(lines[size - 1]!.seq) : null;
    return { events: lines.slice(0, size).map(activityBody), next };
  });

  serve('exportMessageActivity', async ({ ctx, caller, params, query, response, requestId }) => {
    const id = idOf(params);
    const pages = readActivity(ctx, caller, id, readKind(query.kind));
    const disposition = { 'content-disposition': `attachment; filename="activity-${id}.${query.format}"` };
    if (query.format === 'json')
      await sendList({ response, requestId, headers: disposition }, 'events', pages, activityBody);
    else {
      const headers = { ...disposition, 'content-type': 'text/csv; charset=utf-8; header=present' };
      await sendChunks({ response, requestId, headers }, csvOf(pages));
    }
    return alreadySent;
  });

  serve('getExposure', async ({ ctx, caller, params }) => ({
    exposure: exposureBody(await getExposure(ctx, caller, idOf(params), params.address)),
  }));

  serveChanges(serve);
  servePeople(serve);
}

/** The names of the fields come with the first lines, so that a refusal before them is still an answer. */
async function* csvOf(pages: ReturnType<typeof readActivity>): AsyncGenerator<string> {
  let head = csvLine(activityColumns);
  for await (const page of pages) {
    yield head + page.map((line) => csvLine(activityCells(line))).join('');
    head = '';
  }
}

function serveChanges(serve: Serve): void {
  serve('extendMessage', async ({ ctx, caller, params, body }) => {
    await extendMessage(ctx, caller, idOf(params), body.expires_at);
    return { message: await tell(ctx, caller, params.id) };
  });

  serve('allowMoreDownloads', async ({ ctx, caller, params, body }) => {
    await allowMoreDownloads(ctx, caller, idOf(params), { limit: body.expires_after, address: body.address });
    return { message: await tell(ctx, caller, params.id) };
  });

  serve('revokeMessage', async ({ ctx, caller, params }) => {
    await stopSharing(ctx, caller, idOf(params));
    return { message: await tell(ctx, caller, params.id) };
  });

  serve('deleteMessageFiles', async ({ ctx, caller, params }) => {
    await deleteMessageFiles(ctx, caller, idOf(params));
    return { message: await tell(ctx, caller, params.id) };
  });

  serve('removeMessageFile', async ({ ctx, caller, params }) => {
    await removeFile(ctx, caller, idOf(params), params.file);
    return { message: await tell(ctx, caller, params.id) };
  });
}

function servePeople(serve: Serve): void {
  serve('remindRecipients', async ({ ctx, caller, params, body }) => {
    const reminded = await remindRecipients(ctx, caller, idOf(params), body.addresses);
    return { reminded, message: await tell(ctx, caller, params.id) };
  });

  serve('addRecipients', async ({ ctx, caller, params, body }) => {
    const people = { to: body.recipients, cc: body.cc, bcc: body.bcc, names: body.names, sendEmail: body.send_email };
    await addRecipients(ctx, caller, idOf(params), people);
    return { message: await tell(ctx, caller, params.id) };
  });

  serve('correctRecipient', async ({ ctx, caller, params, body }) => {
    await correctRecipient(ctx, caller, idOf(params), { from: params.address, to: body.address });
    return { message: await tell(ctx, caller, params.id) };
  });

  serve('resendToRecipient', async ({ ctx, caller, params }) => {
    await resendToRecipient(ctx, caller, idOf(params), params.address);
    return { message: await tell(ctx, caller, params.id) };
  });

  serve('revokeRecipient', async ({ ctx, caller, params }) => {
    await revokeRecipient(ctx, caller, idOf(params), params.address);
    return { message: await tell(ctx, caller, params.id) };
  });

  serve('reportWrongRecipient', async ({ ctx, caller, params, body }) => {
    const exposure = await reportWrongRecipient(ctx, caller, idOf(params), body.address);
    return { exposure: exposureBody(exposure), message: await tell(ctx, caller, params.id) };
  });
}

/** The message as it is now: every change returns it. */
async function tell(ctx: Ctx, caller: UserCaller, id: string): Promise<SentMessageBody> {
  const tracker = await trackMessage(ctx, caller, id);
  const exposures = await listExposures(ctx, tracker);
  const people = [...tracker.people, ...tracker.others, ...exposures].map(({ address }) => address);
  const names = await findNames(ctx, caller, [...people, ...tracker.people.map(({ replacedBy }) => replacedBy)]);
  return sentMessageBody(ctx, tracker, { offers: offersFor(ctx, caller, tracker), exposures, names });
}

/** Whatever is not an id never reaches the database. */
function idOf(params: { id: string }): string {
  if (!isId(params.id)) throw notFound('message');
  return params.id;
}

type SentQuery = Partial<Record<'q' | 'state' | 'person' | 'from' | 'to' | 'sort' | 'page' | 'size', string>>;

function readWanted(ctx: Ctx, query: { [Key in keyof SentQuery]: SentQuery[Key] | undefined }): SentWanted {
  const { timeZone } = ctx.settings.surroundings;
  const sort = query.sort === undefined || query.sort === '' ? '-sent' : query.sort;
  const person = (query.person ?? '').trim().toLowerCase();
  const states = (query.state ?? '').split(',').filter((word) => word !== '');
  const from = readDay(query.from, 'from');
  const to = readDay(query.to, 'to');
  return {
    words: (query.q ?? '').trim(),
    states: states.map((word) => readWord(word, 'state', messageStateWords)),
    person: person === '' ? null : person,
    from: from === null ? null : startOfDay(from, timeZone),
    before: to === null ? null : startOfDay(addDays(to, 1), timeZone),
    sort: readWord(sort.replace(/^-/, ''), 'sort', ['sent', 'until', 'size', 'subject']),
    isDescending: sort.startsWith('-'),
    page: readCount(query.page, 'page', 1, 100_000),
    size: readCount(query.size, 'size', 25, 100),
  };
}

function readWord<const Word extends string>(value: string, name: string, words: readonly Word[]): Word {
  const word = words.find((candidate) => candidate === value);
  if (word === undefined)
    throw invalid('request.invalid', `The parameter "${name}" must be one of ${words.join(', ')}.`, name);
  return word;
}

function readKind(value: string | undefined) {
  return value === undefined || value === '' ? null : readWord(value, 'kind', activityKinds);
}

function readDay(value: string | undefined, name: string): string | null {
  if (value === undefined || value === '') return null;
  if (parseDate(value) === null)
    throw invalid('request.invalid', `The parameter "${name}" must be a date written as YYYY-MM-DD.`, name);
  return value;
}

function readCount(value: string | undefined, name: string, byDefault: number, most: number): number {
  if (value === undefined || value === '') return byDefault;
  const count = /^\d{1,15}$/.test(value) ? Number(value) : 0;
  if (count < 1 || count > most)
    throw invalid('request.invalid', `The parameter "${name}" must be a whole number from 1 to ${most}.`, name);
  return count;
}
