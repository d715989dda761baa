// The app's list of sent messages. A search decrypts the newest messages one by one.
import { type FileNames, listFileNamesOf } from '../../db/messages/message-files.ts';
import {
  countSent,
  type FileProgress,
  type ListedMessage,
  listCarryingMails,
  listProgress,
  listSentPage,
  listVisitors,
  type SentScope,
  type SentSort,
} from '../../db/messages/message-tracking.ts';
import { listRecipientsOf } from '../../db/messages/recipients.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Recipient } from '../../domain/messages.ts';
import {
  type CarryingMail,
  countPeople,
  type MessageStateWord,
  mailStateOf,
  messageStateWord,
  type PersonState,
  personState,
} from '../../domain/tracking.ts';
import { endOfDay, startOfDay } from '../../lib/dates.ts';
import { kindsWith } from '../../mail/kinds/all.ts';
import { listContacts } from '../contacts/contacts.ts';
import type { Ctx } from '../context.ts';

export interface SentQuery {
  words: string;
  states: readonly MessageStateWord[];
  person: string | null;
  /** Dates; null for no limit. */
  from: string | null;
  to: string | null;
  order: { by: SentSort | 'subject'; direction: 'asc' | 'desc' };
  page: number;
  size: number;
}

export interface SentMessage extends Omit<ListedMessage, 'state'> {
  addresses: string[];
  /** The first three addresses. */
  people: string[];
  /** All names in a search, otherwise the first. */
  files: FileNames;
  state: MessageStateWord;
  peopleCount: number;
  peopleDone: number;
}

export interface SentMessages {
  items: SentMessage[];
  total: number;
  page: number;
  size: number;
  /** The search did not reach the oldest messages. */
  isCut: boolean;
}

const maxSearched = 2000;
const batchSize = 250;
const maxNamed = 100;
const shownPeople = 3;

export async function listSentMessages(ctx: Ctx, caller: UserCaller, query: SentQuery): Promise<SentMessages> {
  const { page, size } = query;
  const { by: sort, direction } = query.order;
  const scope = await scopeOf(ctx, caller, query);
  const total = await countSent(ctx.db.read, scope);
  const offset = (page - 1) * size;
  if (query.words === '' && query.states.length === 0 && sort !== 'subject') {
    const found = await listSentPage(ctx.db.read, scope, {
      sort,
      isDescending: direction === 'desc',
      offset,
      limit: size,
    });
    return { items: await withStates(ctx, found, { firstOnly: true }), total, page, size, isCut: false };
  }
  const found = await search(ctx, scope, query);
  const items = found.slice(offset, offset + size);
  return { items, total: found.length, page, size, isCut: total > maxSearched };
}

async function scopeOf(ctx: Ctx, caller: UserCaller, { person, from, to }: SentQuery): Promise<SentScope> {
  const { timeZone } = ctx.settings.surroundings;
  return {
    ownerId: caller.userId,
    person: person === null ? null : await personFilter(ctx, caller, person),
    from: from === null ? null : startOfDay(from, timeZone),
    before: to === null ? null : endOfDay(to, timeZone),
  };
}

/** People are shown by name, so the filter matches names. */
async function personFilter(ctx: Ctx, caller: UserCaller, words: string): Promise<SentScope['person']> {
  const found = await listContacts(ctx, caller, words, maxNamed);
  return { part: words, addresses: found.map(({ address }) => address) };
}

async function search(ctx: Ctx, scope: SentScope, query: SentQuery): Promise<SentMessage[]> {
  const found: SentMessage[] = [];
  const firstOnly = query.words === '';
  for (let offset = 0; offset < maxSearched; offset += batchSize) {
    const page = { sort: 'sent' as const, isDescending: true, offset, limit: batchSize };
    const messages = await listSentPage(ctx.db.read, scope, page);
    found.push(...(await withStates(ctx, messages, { firstOnly })).filter((item) => isMatch(item, query)));
    if (messages.length < batchSize) break;
  }
  const sign = query.order.direction === 'desc' ? -1 : 1;
  return found.sort((a, b) => sign * compare(a, b, query.order.by));
}

function isMatch(item: SentMessage, query: SentQuery): boolean {
  if (query.states.length > 0 && !query.states.includes(item.state)) return false;
  if (item.id === query.words) return true;
  const text = [item.subject, ...item.addresses, ...item.files.names].join('\n').toLowerCase();
  return query.words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function compare(a: SentMessage, b: SentMessage, sort: SentQuery['order']['by']): number {
  if (sort === 'subject') return a.subject.localeCompare(b.subject) || a.createdAt - b.createdAt;
  const field = { sent: 'createdAt', until: 'expiresAt', size: 'sizeBytes' } as const;
  return a[field[sort]] - b[field[sort]] || (a.id < b.id ? -1 : 1);
}

interface Facts {
  recipients: Recipient[];
  files: FileNames;
  mails: CarryingMail[];
  progress: FileProgress[];
  visitors: { address: string }[];
}

/** Five queries, regardless of the page size. */
async function withStates(ctx: Ctx, messages: ListedMessage[], names: { firstOnly: boolean }): Promise<SentMessage[]> {
  if (messages.length === 0) return [];
  const ids = messages.map((message) => message.id);
  const db = ctx.db.read;
  const [recipients, files, mails, progress, visitors] = await Promise.all([
    listRecipientsOf(db, ids),
    listFileNamesOf(db, ids, names),
    listCarryingMails(db, ids, kindsWith('carriesAccess')).then(byMessage),
    listProgress(db, ids).then(byMessage),
    listVisitors(db, ids).then(byMessage),
  ]);
  const now = ctx.clock.now();
  return messages.map((message) => {
    const { id } = message;
    const facts: Facts = {
      recipients: recipients.get(id) ?? [],
      files: files.get(id) ?? { count: 0, names: [] },
      mails: mails.get(id) ?? [],
      progress: progress.get(id) ?? [],
      visitors: visitors.get(id) ?? [],
    };
    return withState(message, facts, now);
  });
}

function byMessage<Item extends { messageId: string }>(all: Item[]): Map<string, Item[]> {
  return Map.groupBy(all, (item) => item.messageId);
}

function withState(message: ListedMessage, facts: Facts, now: number): SentMessage {
  const active = facts.recipients.filter((recipient) => recipient.state === 'active');
  const counts = countPeople(active.map((recipient) => ({ state: stateOf(message, facts, recipient) })));
  const addresses = active.map((recipient) => recipient.address);
  return {
    ...message,
    addresses,
    people: addresses.slice(0, shownPeople),
    files: facts.files,
    state: messageStateWord(message, counts, now),
    peopleCount: counts.count,
    peopleDone: counts.done,
  };
}

function stateOf(message: ListedMessage, facts: Facts, { address, readAt }: Recipient): PersonState {
  const started = facts.progress.filter((line) => line.recipient === address);
  return personState(
    {
      isRevoked: false,
      mail: mailStateOf(facts.mails.findLast((mail) => mail.recipient === address)),
      hasOpened: started.length > 0 || readAt !== null || facts.visitors.some((visitor) => visitor.address === address),
      hasRead: readAt !== null,
      wholeFiles: started.filter((line) => line.isWhole).length,
      hasPart: started.length > 0,
    },
    { fileCount: facts.files.count, isPrivate: message.isPrivate },
  );
}
