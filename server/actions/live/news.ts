// Changes per user, read from the audit events: topics and ids only. Works with several processes, because it reads the
// database.

import { listActiveUsers } from '../../db/across/leaving.ts';
import {
  type EventHead,
  findLastSeq,
  listEventHeadsAfter,
  listEventsNumbered,
  listOwnEventHeadsAfter,
} from '../../db/events/events.ts';
import { listRecipients } from '../../db/messages/recipients.ts';
import { addressesOf } from '../../domain/audience.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { type EventTopic, reachesRecipients, topicsOf } from '../../domain/events.ts';
import type { Ctx } from '../context.ts';
import { identityOf } from '../messages/access.ts';

/** Follows their own events, and messages to their addresses. */
export interface Follower {
  userId: string;
  addresses: readonly string[];
}

export interface News {
  userId: string;
  seq: number;
  topics: EventTopic[];
}

/** Position in the events. A slower transaction may still commit skipped numbers (PostgreSQL). */
export interface NewsCursor {
  last: number;
  holes: Map<number, number>;
}

const batchSize = 500;
const maxHoles = 1000;
/** Number of reads that check for a skipped number. */
const holeReads = 10;

export async function openCursor(ctx: Ctx): Promise<NewsCursor> {
  return { last: await findLastSeq(ctx.db.read), holes: new Map() };
}

export async function followerOf(ctx: Ctx, caller: UserCaller): Promise<Follower> {
  const { account } = await identityOf(ctx, caller);
  return { userId: caller.userId, addresses: account === null ? [] : addressesOf(account) };
}

/** Followers whose account is disabled or deleted. */
export async function listInactive(ctx: Ctx, followers: readonly Follower[]): Promise<Set<string>> {
  const ids = [...new Set(followers.map(({ userId }) => userId))];
  const active = await listActiveUsers(ctx.db.read, ids);
  return new Set(ids.filter((id) => !active.has(id)));
}

export async function readNews(ctx: Ctx, cursor: NewsCursor, followers: readonly Follower[]): Promise<News[]> {
  const next: NewsCursor = { last: cursor.last, holes: new Map(cursor.holes) };
  const heads: EventHead[] = [];
  if (next.holes.size > 0) heads.push(...(await listEventsNumbered(ctx.db.read, [...next.holes.keys()])));
  for (const [seq, left] of next.holes) {
    if (left <= 1 || heads.some((head) => head.seq === seq)) next.holes.delete(seq);
    else next.holes.set(seq, left - 1);
  }
  for (;;) {
    const page = await listEventHeadsAfter(ctx.db.read, next.last, batchSize);
    for (const head of page) noteHoles(next, head.seq);
    heads.push(...page);
    if (page.length < batchSize) break;
  }
  const news: News[] = [];
  for (const head of heads) news.push(...(await newsOf(ctx, head, followers)));
  // Last, so that a failed read is repeated.
  Object.assign(cursor, next);
  return news;
}

function noteHoles(cursor: NewsCursor, seq: number): void {
  for (let missing = cursor.last + 1; missing < seq && cursor.holes.size < maxHoles; missing++)
    cursor.holes.set(missing, holeReads);
  cursor.last = seq;
}

async function newsOf(ctx: Ctx, head: EventHead, followers: readonly Follower[]): Promise<News[]> {
  const { seq } = head;
  const news = followers
    .filter((follower) => follower.userId === head.ownerId)
    .map(({ userId }) => ({ userId, seq, topics: topicsOf(head) }));
  if (head.objectKind !== 'message' || !reachesRecipients(head.action)) return news;
  const addresses = new Set((await listRecipients(ctx.db.read, head.objectId)).map((recipient) => recipient.address));
  for (const { userId, addresses: own } of followers) {
    if (own.some((address) => addresses.has(address))) news.push({ userId, seq, topics: ['received'] });
  }
  return news;
}

const maxCaughtUp = 500;
/** Numbers before the last one seen may have been committed later. */
const overlap = 100;

/** What a returning follower missed since this event. */
export async function catchUp(ctx: Ctx, caller: UserCaller, afterSeq: number): Promise<(EventTopic | 'everything')[]> {
  const heads = await listOwnEventHeadsAfter(ctx.db.read, caller.userId, afterSeq - overlap, maxCaughtUp + 1);
  if (heads.length > maxCaughtUp) return ['everything'];
  return [...new Set<EventTopic>(['received', ...heads.flatMap(topicsOf)])];
}
