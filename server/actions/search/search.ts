// Searches everything of the caller. Texts are encrypted, so only the newest entries of each kind are decrypted and
// compared (docs/adr/0029); a message id is looked up exactly.

import { listFilesPage } from '../../db/attachments/reusable-files.ts';
import { listFileLinksPage } from '../../db/file-links/file-links.ts';
import { listFileRequestsPage } from '../../db/file-requests/file-request-lists.ts';
import { findMessage, findSubject } from '../../db/messages/messages.ts';
import { listReceivedPage } from '../../db/messages/received.ts';
import { listSentForSearch, type SentForSearch } from '../../db/search/search.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { type LinkState, linkStateAt } from '../../domain/file-links.ts';
import { messageStateAt } from '../../domain/messages.ts';
import { Problem } from '../../domain/problem.ts';
import { isId } from '../../lib/ids.ts';
import { createWordRanking } from '../../lib/text-search.ts';
import { type ReusableFile, withUses } from '../attachments/reusable-files.ts';
import { type Contact, listContacts } from '../contacts/contacts.ts';
import { findNames, type Names } from '../contacts/names.ts';
import type { Ctx } from '../context.ts';
import { type ListedRequest, withAnswers } from '../file-requests/lists.ts';
import { searchRows } from '../listing.ts';
import { readerOf } from '../messages/access.ts';
import { getReceived } from '../received/received.ts';

export interface FoundMessage {
  id: string;
  direction: 'sent' | 'received';
  subject: string;
  people: string[];
  peopleTotal: number;
  createdAt: number;
  state: 'active' | 'expired' | 'stopped';
}

export interface Found {
  messages: FoundMessage[];
  links: { id: string; fileName: string; createdAt: number; state: LinkState }[];
  requests: ListedRequest[];
  files: ReusableFile[];
  people: Contact[];
  /** By address. */
  names: Names;
  isComplete: boolean;
}

/** Limits per kind: entries that are decrypted, and results that are shown. */
const mostOpened = 2000;
const mostShown = 8;
const shownPeople = 3;
const newestFirst = { by: 'createdAt', direction: 'desc' } as const;

export async function search(ctx: Ctx, caller: UserCaller, q: string): Promise<Found> {
  const words = q.trim();
  const sent = await searchSent(ctx, caller, words);
  const received = await searchReceived(ctx, caller, words);
  const exact = await findById(ctx, caller, words);
  const links = caller.policy.can_use_filelinks ? await searchLinks(ctx, caller, words) : nothing;
  const requests = caller.policy.can_use_file_requests ? await searchRequests(ctx, caller, words) : nothing;
  const files = await searchFiles(ctx, caller, words);
  const rank = createWordRanking(words);
  const rankOf = ({ subject, people }: FoundMessage) => rank(subject, people);
  const requestRank = ({ subject, recipient }: ListedRequest) => rank(subject, [recipient]);
  const messages = [...exact, ...sent.found, ...received.found]
    .filter((message, index, all) => all.findIndex((other) => isSame(other, message)) === index)
    .toSorted((one, other) => rankOf(one) - rankOf(other) || other.createdAt - one.createdAt)
    .slice(0, mostShown);
  const addresses = [...messages.flatMap(({ people }) => people), ...requests.found.map(({ recipient }) => recipient)];
  return {
    messages,
    links: links.found.slice(0, mostShown),
    requests: requests.found.toSorted((one, other) => requestRank(one) - requestRank(other)),
    files: files.found.slice(0, mostShown),
    people: await listContacts(ctx, caller, words, mostShown),
    names: await findNames(ctx, caller, addresses),
    isComplete: [sent, received, links, requests, files].every((part) => part.isComplete),
  };
}

const nothing = { found: [], isComplete: true };

function isSame(one: FoundMessage, other: FoundMessage): boolean {
  return one.id === other.id && one.direction === other.direction;
}

async function searchSent(ctx: Ctx, caller: UserCaller, q: string) {
  const { found, isComplete } = await searchRows(
    q,
    {
      rows: (offset, limit) => listSentForSearch(ctx.db.read, caller.userId, { offset, limit }),
      texts: (message) => [message.subject, ...message.people, message.id],
    },
    mostOpened,
  );
  return { isComplete, found: found.map((message) => foundSent(message, ctx.clock.now())) };
}

function foundSent(message: SentForSearch, now: number): FoundMessage {
  const { id, subject, people, createdAt } = message;
  const state = messageStateAt(message, now);
  return {
    id,
    direction: 'sent',
    subject,
    people: people.slice(0, shownPeople),
    peopleTotal: people.length,
    createdAt,
    state: state === 'revoked' ? 'stopped' : state,
  };
}

async function searchReceived(ctx: Ctx, caller: UserCaller, q: string) {
  const now = ctx.clock.now();
  const filter = { ...(await readerOf(ctx, caller)), state: null, origin: null, sender: null, now };
  const order = { by: 'receivedAt', direction: 'desc' } as const;
  const { found, isComplete } = await searchRows(
    q,
    {
      rows: (offset, limit) => listReceivedPage(ctx.db.read, filter, order, { offset, limit }),
      texts: (message) => [message.subject, message.sender, message.senderName, message.id],
    },
    mostOpened,
  );
  return {
    isComplete,
    found: found.map(
      (message): FoundMessage => ({
        id: message.id,
        direction: 'received',
        subject: message.subject,
        people: [message.sender],
        peopleTotal: 1,
        createdAt: message.createdAt,
        state: messageStateAt(message, now) === 'active' ? 'active' : 'expired',
      }),
    ),
  };
}

async function findById(ctx: Ctx, caller: UserCaller, q: string): Promise<FoundMessage[]> {
  if (!isId(q)) return [];
  const message = await findMessage(ctx.db.read, q);
  if (message === undefined) return [];
  if (message.ownerId === caller.userId && message.origin === 'sent') {
    const subject = (await findSubject(ctx.db.read, q)) ?? '';
    return [foundSent({ ...message, subject, people: [] }, ctx.clock.now())];
  }
  try {
    const received = await getReceived(ctx, caller, q);
    return [
      {
        id: q,
        direction: 'received',
        subject: received.subject,
        people: [received.sender.address],
        peopleTotal: 1,
        createdAt: received.receivedAt,
        state: received.state === 'expired' ? 'expired' : 'active',
      },
    ];
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

async function searchLinks(ctx: Ctx, caller: UserCaller, q: string) {
  const now = ctx.clock.now();
  const filter = { ownerId: caller.userId, state: null, now, endingBefore: now };
  const { found, isComplete } = await searchRows(
    q,
    {
      rows: (offset, limit) => listFileLinksPage(ctx.db.read, filter, newestFirst, { offset, limit }),
      texts: (link) => [link.fileName, link.id],
    },
    mostOpened,
  );
  return {
    isComplete,
    found: found.map((link) => ({
      id: link.id,
      fileName: link.fileName,
      createdAt: link.createdAt,
      state: linkStateAt(link, now),
    })),
  };
}

async function searchRequests(ctx: Ctx, caller: UserCaller, q: string) {
  const filter = { ownerId: caller.userId, state: null, now: ctx.clock.now() };
  const { found, isComplete } = await searchRows(
    q,
    {
      rows: (offset, limit) => listFileRequestsPage(ctx.db.read, filter, newestFirst, { offset, limit }),
      texts: (request) => [request.subject, request.recipient, request.id],
    },
    mostOpened,
  );
  return { isComplete, found: await withAnswers(ctx, ctx.db.read, found.slice(0, mostShown)) };
}

async function searchFiles(ctx: Ctx, caller: UserCaller, q: string) {
  const filter = { ownerId: caller.userId, uptime: ctx.clock.uptime() };
  const { found, isComplete } = await searchRows(
    q,
    {
      rows: (offset, limit) => listFilesPage(ctx.db.read, filter, newestFirst, { offset, limit }),
      texts: (file) => [file.fileName],
    },
    mostOpened,
  );
  return { isComplete, found: await withUses(ctx, found.slice(0, mostShown)) };
}
