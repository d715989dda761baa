// The caller's File Requests with their answers, for the web app.
import { listEventsOf } from '../../db/events/events.ts';
import {
  countFileRequests,
  findRequestAnswers,
  listFileRequestsPage,
  listMailsOfRequest,
  type RequestAnswers,
  type RequestFilter,
  type RequestOrder,
  type RequestState,
} from '../../db/file-requests/file-request-lists.ts';
import { findFileRequest } from '../../db/file-requests/file-requests.ts';
import { listAnswers } from '../../db/messages/messages.ts';
import type { Query } from '../../db/schema/schema.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { type FileRequest, requestAt, type StoredRequest } from '../../domain/file-requests.ts';
import type { Message } from '../../domain/messages.ts';
import { notFound } from '../../domain/problem.ts';
import { isId } from '../../lib/ids.ts';
import type { Ctx } from '../context.ts';
import { type Listed, listPage, type PageQuery } from '../listing.ts';
import { describeMessages } from '../messages/describe.ts';
import { assertMayRequest, requestUrl } from './file-requests.ts';

export interface ListedRequest extends Omit<FileRequest, 'state'>, RequestAnswers {
  state: RequestState;
  url: string;
}

export interface RequestsQuery extends PageQuery {
  state: RequestState | null;
  order: RequestOrder;
}

export async function listRequests(ctx: Ctx, caller: UserCaller, query: RequestsQuery): Promise<Listed<ListedRequest>> {
  assertMayRequest(caller);
  const filter: RequestFilter = { ownerId: caller.userId, state: query.state, now: ctx.clock.now() };
  const listed = await listPage(query, {
    count: () => countFileRequests(ctx.db.read, filter),
    rows: (offset, limit) => listFileRequestsPage(ctx.db.read, filter, query.order, { offset, limit }),
    texts: (request) => [request.subject, request.recipient, request.id],
  });
  return { ...listed, items: await withAnswers(ctx, ctx.db.read, listed.items) };
}

const noAnswers: RequestAnswers = { deliveries: 0, files: 0, lastAt: null, hasLive: false };

export async function withAnswers(ctx: Ctx, db: Query, requests: StoredRequest[]): Promise<ListedRequest[]> {
  const now = ctx.clock.now();
  const ids = requests.map((request) => request.id);
  const answers = await findRequestAnswers(db, ids, now);
  return requests.map((stored) => {
    const request = requestAt(stored, now);
    const received = answers.get(stored.id) ?? noAnswers;
    return { ...request, ...received, state: requestStateOf(request, received), url: requestUrl(ctx, stored.id) };
  });
}

function requestStateOf(request: FileRequest, received: RequestAnswers): RequestState {
  if (request.state === 'open') return received.deliveries === 0 ? 'waiting' : 'open';
  if (request.state === 'used') return received.hasLive ? 'received' : 'used';
  return request.state;
}

export interface Reminders {
  sent: number;
  most: number;
  lastAt: number | null;
  /** Null if no reminder is possible. */
  nextAt: number | null;
}

const reminderPauseMs = 86_400_000;

/** Reminders are counted from events, since the last reopening. */
export async function remindersOf(
  db: Query,
  caller: UserCaller,
  request: Pick<FileRequest, 'id' | 'state' | 'createdAt'>,
  now: number,
): Promise<Reminders> {
  const most = caller.policy.message_reminders;
  const actions = ['request.reminded', 'request.reopened'] as const;
  const events = await listEventsOf(db, { kind: 'request', id: request.id }, actions, { size: most + 1 });
  const reopened = events.findIndex((event) => event.action === 'request.reopened');
  const sent = reopened === -1 ? events : events.slice(0, reopened);
  const isOver = sent.length >= most || request.state !== 'open';
  // An event from a clock that was ahead does not delay the next reminder.
  const lastMailAt = [...events.map(({ at }) => at), request.createdAt].find((at) => at <= now) ?? 0;
  return {
    sent: sent.length,
    most,
    lastAt: sent[0]?.at ?? null,
    nextAt: isOver ? null : lastMailAt + reminderPauseMs,
  };
}

export interface RequestDetail extends ListedRequest {
  answers: Message[];
  mails: {
    kind: 'request' | 'reminder';
    address: string;
    state: 'waiting' | 'accepted' | 'refused' | 'cancelled';
    serverText: string;
    createdAt: number;
    finishedAt: number | null;
  }[];
  reminders: Reminders;
  /** What the owner can do now. */
  may: { remind: boolean; close: boolean; extend: boolean; reopen: boolean };
}

const maxShown = 100;
const mailStates = {
  pending: 'waiting',
  sending: 'waiting',
  sent: 'accepted',
  failed: 'refused',
  cancelled: 'cancelled',
  held: 'waiting',
} as const;

export async function getRequest(ctx: Ctx, caller: UserCaller, id: string): Promise<RequestDetail> {
  assertMayRequest(caller);
  const now = ctx.clock.now();
  const stored = await findOwnRequest(ctx.db.read, caller, id);
  const request = requestAt(stored, now);
  const [listed] = await withAnswers(ctx, ctx.db.read, [stored]);
  const answers = await listAnswers(ctx.db.read, id, maxShown);
  const mails = await listMailsOfRequest(ctx.db.read, id, maxShown);
  const reminded = await listEventsOf(ctx.db.read, { kind: 'request', id }, ['request.reminded'], { size: maxShown });
  const reminders = await remindersOf(ctx.db.read, caller, request, ctx.clock.now());
  return {
    ...listed!,
    answers: await describeMessages(ctx.db.read, answers, { showsBcc: false, now }),
    mails: mails.map((mail) => ({
      kind: reminded.some((event) => isSameTime(event.at, mail.createdAt)) ? 'reminder' : 'request',
      address: mail.recipient,
      state: mailStates[mail.state],
      serverText: mail.serverText,
      createdAt: mail.createdAt,
      finishedAt: mail.finishedAt,
    })),
    reminders,
    may: mayNow(request, reminders, now),
  };
}

function mayNow({ state }: FileRequest, { nextAt }: Reminders, now: number): RequestDetail['may'] {
  const isOpen = state === 'open';
  const mayEnd = isOpen || state === 'expired';
  return { remind: nextAt !== null && nextAt <= now, close: mayEnd, extend: mayEnd, reopen: !isOpen };
}

/** A reminder and its mail share a transaction; the next mail is a day later. */
function isSameTime(one: number, other: number): boolean {
  return Math.abs(one - other) < reminderPauseMs / 2;
}

/** Unknown and foreign requests get the same refusal. */
export async function findOwnRequest(db: Query, caller: UserCaller, id: string): Promise<StoredRequest> {
  const request = isId(id) ? await findFileRequest(db, id) : null;
  if (request === null || request.ownerId !== caller.userId) throw notFound('request');
  return request;
}
