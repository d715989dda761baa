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
import { kindsWith } from '../../mail/kinds/all.ts';
import { listContacts } from '../contacts/contacts.ts';
import type { Ctx } from '../context.ts';

export interface SentWanted {
  words: string;
  states: MessageStateWord[];
  person: string | null;
  from: number | null;
  before: number | null;
  sort: SentSort | 'subject';
  isDescending: boolean;
  page: number;
  size: number;
}

export interface SentMessage {
  message: ListedMessage;
  addresses: string[];
  /** Of a search all names, otherwise the first. */
  files: FileNames;
  state: MessageStateWord;
  peopleCount: number;
  peopleDone: number;
}

export interface SentMessages {
  items: SentMessage[];
  total: number;
  /** The search looked at the newest messages only. */
  isCut: boolean;
}

/** Most messages one search opens, the newest. */
const mostSearched = 2000;
const batchSize = 250;
/** Most people that one name stands for. */
const mostNamed = 100;

export async function listSentMessages(ctx: Ctx, caller: UserCaller, wanted: SentWanted): Promise<SentMessages> {
  const { from, before, sort, isDescending, size: limit } = wanted;
  const person = wanted.person === null ? null : await personWanted(ctx, caller, wanted.person);
  const scope: SentScope = { ownerId: caller.userId, person, from, before };
  const total = await countSent(ctx.db.read, scope);
  const offset = (wanted.page - 1) * limit;
  if (wanted.words === '' && wanted.states.length === 0 && sort !== 'subject') {
    const page = await listSentPage(ctx.db.read, scope, { sort, isDescending, offset, limit });
    return { items: await withStates(ctx, page, { firstOnly: true }), total, isCut: false };
  }
  const found = await search(ctx, scope, wanted);
  return { items: found.slice(offset, offset + limit), total: found.length, isCut: total > mostSearched };
}

/** People are shown by name, so they are looked for by name too. */
async function personWanted(ctx: Ctx, caller: UserCaller, words: string): Promise<SentScope['person']> {
  const found = await listContacts(ctx, caller, words, mostNamed);
  return { part: words, addresses: found.map(({ address }) => address) };
}

async function search(ctx: Ctx, scope: SentScope, wanted: SentWanted): Promise<SentMessage[]> {
  const found: SentMessage[] = [];
  const firstOnly = wanted.words === '';
  for (let offset = 0; offset < mostSearched; offset += batchSize) {
    const page = { sort: 'sent' as const, isDescending: true, offset, limit: batchSize };
    const messages = await listSentPage(ctx.db.read, scope, page);
    found.push(...(await withStates(ctx, messages, { firstOnly })).filter((item) => isWanted(item, wanted)));
    if (messages.length < batchSize) break;
  }
  const turn = wanted.isDescending ? -1 : 1;
  return found.sort((a, b) => turn * compare(a, b, wanted.sort));
}

function isWanted(item: SentMessage, wanted: SentWanted): boolean {
  if (wanted.states.length > 0 && !wanted.states.includes(item.state)) return false;
  if (item.message.id === wanted.words) return true;
  const text = [item.message.subject, ...item.addresses, ...item.files.names].join('\n').toLowerCase();
  return wanted.words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function compare({ message: a }: SentMessage, { message: b }: SentMessage, sort: SentWanted['sort']): number {
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
  return {
    message,
    addresses: active.map((recipient) => recipient.address),
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
