// Who is signed in: read once before anything is drawn (session.ts), and again when the server says that it changed.
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import type { MeBody } from '#contract/app/me.ts';
import { visibleText } from '../visible.ts';
import { call } from './api.ts';
import { queryKey } from './query-keys.ts';

export type Me = MeBody;
export type Feature = keyof Me['features'];

/** Read again when people come back to the tab and when the server says so; a session that has ended shows here first. */
export function useFreshMe(first: Me): Me {
  const { data } = useQuery({
    queryKey: queryKey('getMe', {}),
    queryFn: ({ signal }) => call('getMe', { signal }),
    initialData: { me: first },
    staleTime: 0,
    // Words of the server that come before the first drawing is over are not lost.
    refetchOnMount: ({ state }) => state.isInvalidated,
  });
  return useMemo(() => shown(data.me), [data.me]);
}

/** Names that others chose, with marks in place of hidden characters. */
function shown(me: Me): Me {
  return {
    ...me,
    organisation_name: visibleText(me.organisation_name),
    group: { ...me.group, name: visibleText(me.group.name) },
  };
}

/** The zone times are shown in: the person's choice, else the browser's. Dates of expiry end with `me.time_zone`. */
export function zoneOf(me: Me): string {
  return me.preferences.time_zone === '' ? Intl.DateTimeFormat().resolvedOptions().timeZone : me.preferences.time_zone;
}

export const MeContext = createContext<Me | null>(null);

export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === null) throw new Error('nobody is signed in here');
  return me;
}

/** `zoneOf` for components that need nothing else. */
export function useZone(): string {
  return zoneOf(useMe());
}
