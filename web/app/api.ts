// After a 401 a call waits for the next sign-in. Nothing else calls `fetch`.
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
import { connection, isUnavailableStatus, suspectConnection } from './connection.ts';
import { basePath } from './host-page.ts';
import { queryKey } from './query-keys.ts';
import { csrfToken, session, untilSignedIn } from './session.ts';
import { activityHeaders } from './user-activity.ts';

const client = createClient({
  baseUrl: basePath,
  headers: () => ({ 'x-csrf-token': csrfToken(), ...activityHeaders() }),
});

/** Throws a ClientProblem; status 0 means no response. */
export async function call<Name extends EndpointName>(name: Name, input: CallInput<Name>): Promise<CallAnswer<Name>> {
  const ask = client[name] as (input: CallInput<Name>) => Promise<CallAnswer<Name>>;
  // Do not use the ended session's token.
  if (session.read().isEnded) await untilSignedIn();
  try {
    return await ask(input);
  } catch (error) {
    if (error instanceof ClientProblem && isUnavailableStatus(error.status)) suspectConnection();
    if (!(error instanceof ClientProblem) || !isOfSession(error)) throw error;
    await untilSignedIn();
    return ask(input);
  }
}

/** Another tab may have started a session with another token. */
function isOfSession({ status, code }: ClientProblem): boolean {
  return status === 401 || code === 'request.no_token';
}

/** Enough to detect a lost connection, after which reads wait. */
const mostRetries = 3;

/** Retry lost connections and restarting servers, not refusals. */
function isRetryable(failureCount: number, error: Error): boolean {
  if (!(error instanceof ClientProblem)) return false;
  if (isUnavailableStatus(error.status)) return failureCount < mostRetries || connection.read() !== 'online';
  return failureCount < 2 && (error.status >= 500 || error.status === 429);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: isRetryable, staleTime: 10_000, gcTime: 10 * 60_000 },
    mutations: { retry: false },
  },
});

interface ReadOptions {
  isEnabled?: boolean;
  /** Shows the last answer until the next one arrives. */
  keepsLast?: boolean;
  everyMs?: number;
}

/** `useApi('getSentMessage', { params: { id } })`. The query key consists of topic, name and input. */
export function useApi<Name extends EndpointName>(
  name: Name,
  input: CallInput<Name>,
  { isEnabled = true, keepsLast = false, everyMs }: ReadOptions = {},
): UseQueryResult<CallAnswer<Name>, Error> {
  return useQuery<CallAnswer<Name>, Error>({
    queryKey: queryKey(name, input),
    queryFn: ({ signal }) => call(name, { ...input, signal }),
    enabled: isEnabled,
    ...(keepsLast ? { placeholderData: ((before: unknown) => before) as never } : {}),
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
}

/** `change.mutate({ params, body })`. Afterwards queries of the topics are refetched. */
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
