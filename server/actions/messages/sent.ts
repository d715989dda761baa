// The list of sent messages with the state of each. What the database can look for it looks for; subjects and names are
// sealed, so a search opens them one by one, within a bound.

import {
  countSent,
  listCarryingMails,
  listFilesOf,
  listFirstVisits,
  listProgress,
  listRecipientsOf,
  listSentPage,
  type SentScope,
  type SentSort,
} from '../../db/message-tracking.ts';
import type { MessageRow } from '../../db/messages.ts';
import type { UserCaller } from '../../domain/caller.ts';
import {
  type MessageStateWord,
  mailStateOf,
  messageStateWord,
  type PersonState,
  personState,
} from '../../domain/tracking.ts';
import { kindsWith } from '../../mail/kinds/all.ts';
import type { Ctx } from '../context.ts';
import { countPeople } from './tracker.ts';

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

export interface SentItem {
  row: MessageRow;
  subject: string;
  addresses: string[];
  fileNames: string[];
  state: MessageStateWord;
  peopleCount: number;
  peopleDone: number;
}

export interface SentPage {
  items: SentItem[];
  total: number;
  /** The search looked at the newest messages only. */
  isCut: boolean;
}

/** So many of the newest messages are opened for a search. */
const mostSearched = 2000;
const batchSize = 250;

export async function listSentItems(ctx: Ctx, caller: UserCaller, wanted: SentWanted): Promise<SentPage> {
  const scope: SentScope = {
    ownerId: caller.userId,
    person: wanted.person,
    from: wanted.from,
    before: wanted.before,
  };
  const total = await countSent(ctx.db.read, scope);
  const offset = (wanted.page - 1) * wanted.size;
  const { sort } = wanted;
  if (wanted.words === '' && wanted.states.length === 0 && sort !== 'subject') {
    const rows = await listSentPage(ctx.db.read, scope, {
      sort,
      isDescending: wanted.isDescending,
      offset,
      limit: wanted.size,
    });
    return { items: await describeItems(ctx, rows), total, isCut: false };
  }
  const found = await search(ctx, scope, wanted);
  return {
    items: found.slice(offset, offset + wanted.size),
    total: found.length,
    isCut: total > mostSearched,
  };
}

async function search(ctx: Ctx, scope: SentScope, wanted: SentWanted): Promise<SentItem[]> {
  const found: SentItem[] = [];
  for (let offset = 0; offset < mostSearched; offset += batchSize) {
    const page = { sort: 'sent' as const, isDescending: true, offset, limit: batchSize };
    const rows = await listSentPage(ctx.db.read, scope, page);
    found.push(...(await describeItems(ctx, rows)).filter((item) => isWanted(item, wanted)));
    if (rows.length < batchSize) break;
  }
  const turn = wanted.isDescending ? -1 : 1;
  return found.sort((a, b) => turn * compare(a, b, wanted.sort));
}

function isWanted(item: SentItem, wanted: SentWanted): boolean {
  if (wanted.states.length > 0 && !wanted.states.includes(item.state)) return false;
  if (item.row.id === wanted.words) return true;
  const text = [item.subject, ...item.addresses, ...item.fileNames].join('\n').toLowerCase();
  return wanted.words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function compare(a: SentItem, b: SentItem, sort: SentWanted['sort']): number {
  if (sort === 'subject') return a.subject.localeCompare(b.subject) || a.row.created_at - b.row.created_at;
  const column = { sent: 'created_at', until: 'expires_at', size: 'size_bytes' } as const;
  return a.row[column[sort]] - b.row[column[sort]] || (a.row.id < b.row.id ? -1 : 1);
}

/** All facts of a page in five queries, whatever its size. */
async function describeItems(ctx: Ctx, rows: MessageRow[]): Promise<SentItem[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const db = ctx.db.read;
  const [recipients, files, mails, progress, visits] = await Promise.all([
    listRecipientsOf(db, ids),
    listFilesOf(db, ids),
    listCarryingMails(db, ids, kindsWith('carriesAccess')),
    listProgress(db, ids),
    listFirstVisits(db, ids),
  ]);
  const ofMessage = <Row extends { message_id: string | null }>(all: Row[]) =>
    Map.groupBy(all, (one) => one.message_id ?? '');
  const by = {
    recipients: ofMessage(recipients),
    files: ofMessage(files),
    mails: ofMessage(mails),
    progress: ofMessage(progress),
    visits: ofMessage(visits),
  };
  return rows.map((row) => {
    const own = {
      files: by.files.get(row.id) ?? [],
      mails: by.mails.get(row.id) ?? [],
      progress: by.progress.get(row.id) ?? [],
      visits: by.visits.get(row.id) ?? [],
    };
    const active = (by.recipients.get(row.id) ?? []).filter((recipient) => recipient.state === 'active');
    const people: { state: PersonState }[] = active.map(({ address, read_at }) => {
      const begun = own.progress.filter((line) => line.recipient === address);
      const facts = {
        isRevoked: false,
        mail: mailStateOf(own.mails.findLast((mail) => mail.recipient === address)),
        hasOpened: begun.length > 0 || read_at !== null || own.visits.some((visit) => visit.address === address),
        hasRead: read_at !== null,
        wholeFiles: begun.filter((line) => Number(line.is_whole) === 1).length,
        hasPart: begun.length > 0,
      };
      return { state: personState(facts, { fileCount: own.files.length, isPrivate: row.is_private === 1 }) };
    });
    const counts = countPeople(people);
    return {
      row,
      subject: ctx.keys.openText('text', row.subject_sealed, `${row.id}/subject`),
      addresses: active.map((recipient) => recipient.address),
      fileNames: own.files.map((file) => ctx.keys.openText('name', file.name_sealed, file.id)),
      state: messageStateWord({ state: row.state, expiresAt: row.expires_at }, counts, ctx.clock.now()),
      peopleCount: counts.count,
      peopleDone: counts.done,
    };
  });
}
