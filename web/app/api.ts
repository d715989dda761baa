// The one way the app talks to the server: calls of the contract by name, typed, with the token of the session. A session
// that has ended is asked for again, and the call then continues. Screens use the hooks; nothing else calls `fetch`.
import {
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Topic } from '#contract/app/live.ts';
import { type CallAnswer, type CallInput, ClientProblem, createClient } from '#contract/client.ts';
import type { EndpointName } from '#contract/endpoints.ts';
import { connection, isAwayStatus, suspectConnection } from './connection.ts';
import { basePath } from './host-page.ts';
import { presenceHeaders } from './presence.ts';
import { queryKey } from './query-keys.ts';
import { csrfToken, session, untilSignedIn } from './session.ts';

const client = createClient({
  baseUrl: basePath,
  headers: () => ({ 'x-csrf-token': csrfToken(), ...presenceHeaders() }),
});

/** Throws a ClientProblem: `sentence` for people, `code`, `field`, `requestId`; status 0 when there was no answer. */
export async function call<Name extends EndpointName>(name: Name, input: CallInput<Name>): Promise<CallAnswer<Name>> {
  const ask = client[name] as (input: CallInput<Name>) => Promise<CallAnswer<Name>>;
  // Not with the token of the old session while the new one begins.
  if (session.read().isEnded) await untilSignedIn();
  try {
    return await ask(input);
  } catch (error) {
    if (error instanceof ClientProblem && isAwayStatus(error.status)) suspectConnection();
    if (!(error instanceof ClientProblem) || !isOfSession(error)) throw error;
    await untilSignedIn();
    return ask(input);
  }
}

/** It has ended, or another tab of this browser has begun one of its own, with another token. */
function isOfSession({ status, code }: ClientProblem): boolean {
  return status === 401 || code === 'request.no_token';
}

/** Enough for a connection that is lost to be found out, from when on reads wait for it. */
const mostRetries = 3;

/** A rule does not change by asking again; a lost connection or a server that starts again does. */
function isWorthARetry(failureCount: number, error: Error): boolean {
  if (!(error instanceof ClientProblem)) return false;
  if (isAwayStatus(error.status)) return failureCount < mostRetries || connection.read() !== 'online';
  return failureCount < 2 && (error.status >= 500 || error.status === 429);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: isWorthARetry, staleTime: 10_000, gcTime: 10 * 60_000 },
    mutations: { retry: false },
  },
});

interface ReadOptions {
  /** False: not yet. */
  isWanted?: boolean;
  /** Shows the answer to the last input until the next one is there: for pages and filters of lists. */
  keepsLast?: boolean;
  everyMs?: number;
}

/** Reads. `useApi('getSentMessage', { params: { id } })`; the key is made from the name and the input. */
export function useApi<Name extends EndpointName>(
  name: Name,
  input: CallInput<Name>,
  { isWanted = true, keepsLast = false, everyMs }: ReadOptions = {},
): UseQueryResult<CallAnswer<Name>, Error> {
  return useQuery<CallAnswer<Name>, Error>({
    queryKey: queryKey(name, input),
    queryFn: ({ signal }) => call(name, { ...input, signal }),
    enabled: isWanted,
    ...(keepsLast ? { placeholderData: ((before: unknown) => before) as never } : {}),
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
}

/** Changes: `change.mutate({ params, body })`. What was read about the topics is read again afterwards. */
export function useApiChange<Name extends EndpointName>(
  name: Name,
  topics: readonly Topic[],
): UseMutationResult<CallAnswer<Name>, Error, CallInput<Name>> {
  const known = useQueryClient();
  return useMutation({
    mutationFn: (input: CallInput<Name>) => call(name, input),
    onSuccess: async () => {
      await Promise.all(topics.map((topic) => known.invalidateQueries({ queryKey: [topic] })));
    },
  });
}
