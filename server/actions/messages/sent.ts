// The app's list of sent messages with the state of each. The database searches where it can; subjects and file names
// are sealed, so a search opens them one by one, up to a limit.
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

export interface SentWanted {
  words: string;
  states: readonly MessageStateWord[];
  person: string | null;
  /** Dates; null without a limit. */
  from: string | null;
  to: string | null;
  order: { by: SentSort | 'subject'; direction: 'asc' | 'desc' };
  page: number;
  size: number;
}

export interface SentMessage extends Omit<ListedMessage, 'state'> {
  addresses: string[];
  /** The first three of these. */
  people: string[];
  /** Of a search all names, otherwise the first. */
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
  /** The search looked at the newest messages only. */
  isCut: boolean;
}

/** Most messages one search opens, the newest. */
const maxSearched = 2000;
const batchSize = 250;
/** Most people that one name stands for. */
const mostNamed = 100;
const shownPeople = 3;

export async function listSentMessages(ctx: Ctx, caller: UserCaller, wanted: SentWanted): Promise<SentMessages> {
  const { page, size } = wanted;
  const { by: sort, direction } = wanted.order;
  const scope = await scopeOf(ctx, caller, wanted);
  const total = await countSent(ctx.db.read, scope);
  const offset = (page - 1) * size;
  if (wanted.words === '' && wanted.states.length === 0 && sort !== 'subject') {
    const found = await listSentPage(ctx.db.read, scope, {
      sort,
      isDescending: direction === 'desc',
      offset,
      limit: size,
    });
    return { items: await withStates(ctx, found, { firstOnly: true }), total, page, size, isCut: false };
  }
  const found = await search(ctx, scope, wanted);
  const items = found.slice(offset, offset + size);
  return { items, total: found.length, page, size, isCut: total > maxSearched };
}

async function scopeOf(ctx: Ctx, caller: UserCaller, { person, from, to }: SentWanted): Promise<SentScope> {
  const { timeZone } = ctx.settings.surroundings;
  return {
    ownerId: caller.userId,
    person: person === null ? null : await personWanted(ctx, caller, person),
    from: from === null ? null : startOfDay(from, timeZone),
    before: to === null ? null : endOfDay(to, timeZone),
  };
}

/** People are shown by name, so they are looked for by name too. */
async function personWanted(ctx: Ctx, caller: UserCaller, words: string): Promise<SentScope['person']> {
  const found = await listContacts(ctx, caller, words, mostNamed);
  return { part: words, addresses: found.map(({ address }) => address) };
}

async function search(ctx: Ctx, scope: SentScope, wanted: SentWanted): Promise<SentMessage[]> {
  const found: SentMessage[] = [];
  const firstOnly = wanted.words === '';
  for (let offset = 0; offset < maxSearched; offset += batchSize) {
    const page = { sort: 'sent' as const, isDescending: true, offset, limit: batchSize };
    const messages = await listSentPage(ctx.db.read, scope, page);
    found.push(...(await withStates(ctx, messages, { firstOnly })).filter((item) => isWanted(item, wanted)));
    if (messages.length < batchSize) break;
  }
  const turn = wanted.order.direction === 'desc' ? -1 : 1;
  return found.sort((a, b) => turn * compare(a, b, wanted.order.by));
}

function isWanted(item: SentMessage, wanted: SentWanted): boolean {
  if (wanted.states.length > 0 && !wanted.states.includes(item.state)) return false;
  if (item.id === wanted.words) return true;
  const text = [item.subject, ...item.addresses, ...item.files.names].join('\n').toLowerCase();
  return wanted.words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function compare(a: SentMessage, b: SentMessage, sort: SentWanted['order']['by']): number {
  if (sort === 'subject') return a.subject.localeCompare(b.subject) || a.createdAt - b.createdAt;
  const field = { sent: 'createdAt', until: 'expiresAt', size: 'sizeBytes' } as const;
  return a[field[sort]] - b[field[sort]] || (a.id < b.id ? -1 : 1);
}

/** Everything that decides the state of one message. */
interface Facts {
  recipients: Recipient[];
  files: FileNames;
  mails: CarryingMail[];
  progress: FileProgress[];
  visitors: { address: string }[];
}

/** All facts of a page in five queries, whatever its size. */
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
  return Map.groupBy(all, (one) => one.messageId);
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
  const begun = facts.progress.filter((line) => line.recipient === address);
  return personState(
    {
      isRevoked: false,
      mail: mailStateOf(facts.mails.findLast((mail) => mail.recipient === address)),
      hasOpened: begun.length > 0 || readAt !== null || facts.visitors.some((visitor) => visitor.address === address),
      hasRead: readAt !== null,
      wholeFiles: begun.filter((line) => line.isWhole).length,
      hasPart: begun.length > 0,
    },
    { fileCount: facts.files.count, isPrivate: message.isPrivate },
  );
}
