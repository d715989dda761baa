import { BookOpen, File, FolderInput, Inbox, Link2, type LucideIcon, SendHorizontal, UserRound } from 'lucide-react';
import type { CallAnswer } from '#contract/client.ts';
import { localSize } from '#language/sizes.ts';
import { dayOf } from '../../../formats.ts';
import { visibleText } from '../../../visible.ts';
import { dateText } from '../../dates.ts';
import type { Text } from '../../texts.ts';
import type { PillTone } from '../../ui/pill.tsx';

export type Found = CallAnswer<'search'>;

export interface SearchItem {
  id: string;
  /** A screen, a page outside of the app, or something else that happens. */
  to?: string;
  search?: Record<string, string>;
  href?: string;
  act?: () => void;
  /** A setting that each group has. */
  group?: { section: string; at: string };
  icon: LucideIcon;
  title: string;
  detail: string;
  state: { label: string; tone: PillTone } | null;
}

export interface SearchGroup {
  title: string;
  items: SearchItem[];
}

export interface SearchTexts {
  say: Text<'search'>;
  locale: string;
  zone: string;
}

export function namesIn(names: Found['names'], addresses: readonly string[]): string[] {
  return addresses.map((address) => names[address] || address);
}

export function groupsOf(found: Found, texts: SearchTexts, may: { send: boolean }): SearchGroup[] {
  const { say } = texts;
  const named = (message: MessageParts) => ({ ...message, people: namesIn(found.names, message.people) });
  return [
    { title: say('messages'), items: found.messages.map((message) => messageItem(named(message), texts)) },
    { title: say('links'), items: found.links.map((link) => linkItem(link, texts)) },
    { title: say('requests'), items: found.requests.map((request) => requestItem(request, found.names, texts)) },
    { title: say('files'), items: found.files.map((file) => fileItem(file, texts, may)) },
    { title: say('contacts'), items: found.people.map((person) => personItem(person, texts, may)) },
  ];
}

export function helpItems(found: Found, { say }: SearchTexts): SearchItem[] {
  return found.help.map(({ title, section, url }) => ({
    id: `help ${url}`,
    href: url,
    icon: BookOpen,
    title,
    detail: say('docs', { section }),
    state: null,
  }));
}

export function countOf(groups: readonly SearchGroup[]): number {
  return groups.reduce((sum, { items }) => sum + items.length, 0);
}

function dayIn({ locale, zone }: SearchTexts, instant: string): string {
  return dateText(locale, dayOf(zone, instant));
}

function peopleIn({ say, locale }: SearchTexts, people: readonly string[], total: number): string {
  const names = new Intl.ListFormat(locale, { type: 'unit' }).format(people.map(visibleText));
  return total > people.length ? say('peopleMore', { names, n: total - people.length }) : names;
}

type MessageParts = Pick<
  Found['messages'][number],
  'id' | 'direction' | 'subject' | 'people' | 'people_total' | 'created_at' | 'state'
>;

export function messageItem(message: MessageParts, texts: SearchTexts): SearchItem {
  const { say } = texts;
  const isSent = message.direction === 'sent';
  const people = peopleIn(texts, message.people, message.people_total);
  const date = dayIn(texts, message.created_at);
  const over = { expired: say('stateExpired'), stopped: say('stateStopped') } as const;
  return {
    id: `${message.direction} ${message.id}`,
    to: `/${message.direction}/${message.id}`,
    icon: isSent ? SendHorizontal : Inbox,
    title: message.subject === '' ? say('noSubject') : visibleText(message.subject),
    detail: people === '' ? date : say(isSent ? 'sentTo' : 'receivedFrom', { people, date }),
    state:
      message.state === 'active'
        ? { label: say(isSent ? 'sent' : 'received'), tone: 'neutral' }
        : { label: over[message.state], tone: 'ended' },
  };
}

function linkItem(link: Found['links'][number], texts: SearchTexts): SearchItem {
  const { say } = texts;
  const states: Record<typeof link.state, SearchItem['state']> = {
    active: { label: say('stateActive'), tone: 'success' },
    ending: { label: say('stateEnding'), tone: 'warning' },
    expired: { label: say('stateExpired'), tone: 'ended' },
    deleted: { label: say('stateDeleted'), tone: 'ended' },
  };
  return {
    id: `link ${link.id}`,
    to: `/links/${link.id}`,
    icon: Link2,
    title: visibleText(link.filename),
    detail: say('linkFacts', { date: dayIn(texts, link.created_at) }),
    state: states[link.state],
  };
}

function requestItem(request: Found['requests'][number], names: Found['names'], texts: SearchTexts): SearchItem {
  const { say } = texts;
  const states: Record<typeof request.state, SearchItem['state']> = {
    waiting: { label: say('stateWaiting'), tone: 'progress' },
    open: { label: say('stateOpen'), tone: 'success' },
    received: { label: say('stateAnswered'), tone: 'success' },
    used: { label: say('stateAnswered'), tone: 'ended' },
    expired: { label: say('stateExpired'), tone: 'ended' },
    closed: { label: say('stateClosed'), tone: 'ended' },
  };
  return {
    id: `request ${request.id}`,
    to: `/requests/${request.id}`,
    icon: FolderInput,
    title: request.subject === '' ? say('noSubject') : visibleText(request.subject),
    detail: say('requestFacts', {
      person: visibleText(names[request.recipient] || request.recipient),
      date: dayIn(texts, request.created_at),
    }),
    state: states[request.state],
  };
}

/** A file has no screen: links to its link, its request, or messages with its name. */
function fileItem(file: Found['files'][number], texts: SearchTexts, may: { send: boolean }): SearchItem {
  const { say, locale } = texts;
  const size = localSize(locale, file.size_human);
  const use = file.used_in;
  const line = { id: `file ${file.id}`, icon: File, title: visibleText(file.filename), state: null };
  if (use?.kind === 'message')
    return {
      ...line,
      to: `/sent/${use.id}`,
      detail: say('fileIn', { size, title: use.title === '' ? say('noSubject') : visibleText(use.title) }),
    };
  if (use?.kind === 'link') return { ...line, to: `/links/${use.id}`, detail: say('fileLinked', { size }) };
  return {
    ...line,
    to: may.send ? '/sent' : '/links',
    search: { q: file.filename },
    detail: say('fileFacts', { size, date: dayIn(texts, file.created_at) }),
  };
}

function personItem(person: Found['people'][number], texts: SearchTexts, may: { send: boolean }): SearchItem {
  const { say } = texts;
  return {
    id: `person ${person.address}`,
    to: may.send ? '/sent' : '/received',
    search: { person: person.address },
    icon: UserRound,
    title: visibleText(person.name === '' ? person.address : person.name),
    detail:
      person.name === '' ? say('personLast', { date: dayIn(texts, person.last_at) }) : visibleText(person.address),
    state: null,
  };
}
