import { useNavigate, useRouterState } from '@tanstack/react-router';
import { Boxes } from 'lucide-react';
import { useEffect, useState } from 'react';
import { visibleText } from '../../../visible.ts';
import { mayOpenConsole } from '../../admin/roles.ts';
import { useApi } from '../../api.ts';
import { fetchFile } from '../../lazy-files.tsx';
import { useMe, useZone } from '../../me.ts';
import { useLocale, useText } from '../../texts.ts';
import {
  groupsOf,
  helpItems,
  messageItem,
  namesIn,
  type SearchGroup,
  type SearchItem,
  type SearchTexts,
} from './items.ts';
import { findPlaces, placeOf, placesOf } from './places.ts';

type ConsoleSearch = typeof import('../../admin/console-search.ts');

const typingPauseMs = 150;

/** The text after typing pauses. */
function useDebounced(texts: string): string {
  const [debounced, setDebounced] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(texts), typingPauseMs);
    return () => clearTimeout(timer);
  }, [texts]);
  // An emptied field needs no delay.
  return texts === '' ? '' : debounced;
}

export interface Results {
  groups: SearchGroup[];
  /** Answers to what is typed now are missing. */
  isPending: boolean;
  error: Error | null;
  retry(): void;
  isCut: boolean;
}

/** Screens and settings at once, the rest after a pause. */
export function useResults(typed: string): Results {
  const me = useMe();
  const texts = useSearchTexts();
  const { say, locale } = texts;
  const console = useConsoleSearch();
  const asked = useDebounced(typed);
  const isEnabled = asked !== '';
  const own = useApi('search', { query: { q: asked } }, { isEnabled });
  const hasConsole = mayOpenConsole(me.role);
  const all = useApi('searchConsole', { query: { q: asked } }, { isEnabled: isEnabled && hasConsole });
  const seesSystem = me.role === 'auditor' || me.role === 'system_administrator';
  const system = useApi('getSystem', {}, { isEnabled: isEnabled && seesSystem });
  const recent = useRecent(typed === '');
  const places = [
    ...placesOf(me, locale),
    ...(console?.consolePlaces(me.role, locale) ?? []),
    ...(system.data === undefined ? [] : (console?.operatorPlaces(system.data.system.settings, locale) ?? [])),
  ];
  const inPart = (part: string) => places.filter((place) => place.part === part);
  const isSettled = asked === typed;
  const found = isSettled ? own.data : undefined;
  const error = own.error ?? all.error;
  const retry = () => {
    if (own.error !== null) void own.refetch();
    if (all.error !== null) void all.refetch();
  };
  if (typed === '') {
    const groups = [...recent, { title: say('screens'), items: inPart('screens') }].filter(hasItems);
    return { groups, isPending: false, error: null, retry, isCut: false };
  }
  const help = [...findPlaces(inPart('help'), typed), ...(found === undefined ? [] : helpItems(found, texts))];
  const groups = [
    { title: say('screens'), items: findPlaces(inPart('screens'), typed) },
    { title: say('settings'), items: findPlaces(inPart('settings'), typed) },
    ...(isSettled && all.data !== undefined ? (console?.consoleGroups(all.data, texts) ?? []) : []),
    ...(found === undefined ? [] : groupsOf(found, texts, { send: me.features.messages })),
    { title: say('help'), items: help },
  ].filter(hasItems);
  const isPending = !isSettled || own.isPending || (hasConsole && (all.isPending || console === null));
  return {
    groups,
    isPending: error === null && isPending,
    error: isSettled ? error : null,
    retry,
    isCut: found?.is_complete === false,
  };
}

function hasItems({ items }: SearchGroup): boolean {
  return items.length > 0;
}

function useSearchTexts(): SearchTexts {
  return { say: useText('search'), locale: useLocale(), zone: useZone() };
}

/** Null until it is loaded, and for people who only send. */
function useConsoleSearch(): ConsoleSearch | null {
  const [loaded, setLoaded] = useState<ConsoleSearch | null>(null);
  const locale = useLocale();
  const isNeeded = mayOpenConsole(useMe().role);
  useEffect(() => {
    let isGone = false;
    const load = async () => {
      const part = await import('../../admin/console-search.ts');
      await part.prepareConsoleSearch(locale);
      return part;
    };
    if (isNeeded) void fetchFile(load).then((part) => !isGone && setLoaded(part));
    return () => {
      isGone = true;
    };
  }, [isNeeded, locale]);
  return loaded;
}

const recentCount = '5';

/** Recently sent and received, before anything is typed. */
function useRecent(isEnabled: boolean): SearchGroup[] {
  const texts = useSearchTexts();
  const { say } = texts;
  const { features } = useMe();
  const size = recentCount;
  const sent = useApi(
    'listSentMessages',
    { query: { size, sort: '-sent' } },
    { isEnabled: isEnabled && features.messages },
  );
  const received = useApi('listReceived', { query: { size, sort: '-received_at' } as never }, { isEnabled });
  const names = sent.data?.names ?? {};
  return [
    {
      title: say('recentSent'),
      items: (sent.data?.messages ?? []).map((message) => {
        const ends = { expired: 'expired', stopped: 'stopped', refused: 'stopped' } as const;
        const state = message.state in ends ? ends[message.state as keyof typeof ends] : 'active';
        const people = namesIn(names, message.people);
        return messageItem({ ...message, people, direction: 'sent', created_at: message.sent_at, state }, texts);
      }),
    },
    {
      title: say('recentReceived'),
      items: (received.data?.items ?? []).map(({ id, subject, from, received_at, state }) =>
        messageItem(
          {
            id,
            subject,
            direction: 'received',
            people: [from.name],
            people_total: 1,
            created_at: received_at,
            state: state === 'expired' ? 'expired' : 'active',
          },
          texts,
        ),
      ),
    },
  ];
}

/** The groups to choose from for a setting that each has. */
export function useGroupChoice(setting: SearchItem['group'] | null, typed: string): SearchItem[] {
  const groups = useApi('listGroups', {}, { isEnabled: setting != null });
  if (setting == null) return [];
  const places = (groups.data?.groups ?? []).map(({ id, name }) =>
    placeOf('settings', {
      to: `/admin/groups/${id}`,
      search: setting,
      title: visibleText(name),
      icon: Boxes,
    }),
  );
  return typed === '' ? places : findPlaces(places, typed);
}

/** Opens an item. True when the dialog is done. */
export function useOpen(): (item: SearchItem) => boolean {
  const navigate = useNavigate();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return ({ to, search, href, act, group }) => {
    const [, id] = /^\/admin\/groups\/([^/]+)$/.exec(path) ?? [];
    if (group !== undefined && id === undefined) return false;
    if (href !== undefined) location.assign(href);
    else if (act !== undefined) act();
    else if (group !== undefined) void navigate({ to: path as never, search: group as never });
    else void navigate({ to: to as never, search: (search ?? {}) as never });
    return true;
  };
}
