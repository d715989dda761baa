import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import type { MeBody } from '#contract/app/me.ts';
import { visibleText } from '../visible.ts';
import { call } from './api.ts';
import { queryKey } from './query-keys.ts';

export type Me = MeBody;
export type Feature = keyof Me['features'];

/** Refetched when the tab becomes visible, which detects an ended session. */
export function useFreshMe(first: Me): Me {
  const { data } = useQuery({
    queryKey: queryKey('getMe', {}),
    queryFn: ({ signal }) => call('getMe', { signal }),
    initialData: { me: first },
    staleTime: 0,
    // A change reported during the first render must not be lost.
    refetchOnMount: ({ state }) => state.isInvalidated,
  });
  return useMemo(() => shown(data.me), [data.me]);
}

/** Marks hidden characters in names that others chose. */
function shown(me: Me): Me {
  return {
    ...me,
    organisation_name: visibleText(me.organisation_name),
    group: { ...me.group, name: visibleText(me.group.name) },
  };
}

/** Else the browser's. Expiry dates end in `me.time_zone`. */
export function zoneOf(me: Me): string {
  return me.preferences.time_zone === '' ? Intl.DateTimeFormat().resolvedOptions().timeZone : me.preferences.time_zone;
}

export const MeContext = createContext<Me | null>(null);

export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === null) throw new Error('no user is signed in');
  return me;
}

export function useZone(): string {
  return zoneOf(useMe());
}
