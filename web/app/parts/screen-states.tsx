// Replacements for a screen: loading, failed, not permitted, not found.

import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Ban, SearchX } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { ClientProblem } from '#contract/client.ts';
import { useFormats } from '../formats.ts';
import { MissingFile } from '../lazy-files.tsx';
import { useMe } from '../me.ts';
import { navItemsOf } from '../navigation.ts';
import { showSearch } from '../search-dialog.ts';
import { useText } from '../texts.ts';
import { isRunning } from '../transfers/running.ts';
import { useTransfers } from '../transfers/transfers.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState, ErrorState, Skeleton, SkeletonBars } from '../ui/states.tsx';
import { Screen } from './screen.tsx';

export function ScreenLoading() {
  const text = useText('ui');
  return (
    <Skeleton>
      <Screen title={text('loading')}>
        <SkeletonBars lines={6} />
      </Screen>
    </Skeleton>
  );
}

export function ScreenFailed({ error, reset }: Pick<ErrorComponentProps, 'error'> & { reset?: () => unknown }) {
  const text = useText('shell');
  const router = useRouter();
  const isLeaving = useNewBuild(error);
  const status = error instanceof ClientProblem ? error.status : 500;
  if (isLeaving) return <ScreenLoading />;
  if (status === 404 || status === 410) return <NotFound />;
  if (status === 403)
    return (
      <Screen title={text('forbiddenTitle')}>
        <EmptyState icon={Ban}>{text('forbidden')}</EmptyState>
      </Screen>
    );
  const retry = () => {
    // A reload fetches a new build.
    if (!(error instanceof ClientProblem)) return location.reload();
    reset?.();
    void router.invalidate();
  };
  return (
    <Screen title={text('failedTitle')}>
      <ErrorState error={error} onRetry={retry} />
    </Screen>
  );
}

/** Reloads a page of an older build, unless files are uploading or it was just reloaded. */
function useNewBuild(error: unknown): boolean {
  const isSending = useTransfers().files.some(isRunning);
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const isLeaving = error instanceof MissingFile && entry?.type !== 'reload' && !isSending;
  useEffect(() => {
    if (isLeaving) location.reload();
  }, [isLeaving]);
  return isLeaving;
}

export function Forbidden() {
  const text = useText('shell');
  return (
    <Screen title={text('forbiddenTitle')}>
      <EmptyState icon={Ban}>{text('adminForbidden')}</EmptyState>
    </Screen>
  );
}

interface LoadedProps<Answer> {
  query: { data: Answer | undefined; error: Error | null; refetch(): unknown };
  children: (answer: Answer) => ReactNode;
}

export function ScreenLoaded<Answer>({ query, children }: LoadedProps<Answer>) {
  if (query.data !== undefined) return children(query.data);
  return query.error === null ? <ScreenLoading /> : <ScreenFailed error={query.error} reset={query.refetch} />;
}

export function NotFound() {
  const text = useText('shell');
  return (
    <Screen title={text('notFoundTitle')}>
      <EmptyState icon={SearchX} action={<Button onClick={showSearch}>{text('search')}</Button>}>
        {text('notFound')}
      </EmptyState>
    </Screen>
  );
}

/** Lists what the group can do. */
export function NotForYourGroup({ title }: { title: string }) {
  const text = useText('shell');
  const formats = useFormats();
  const names = navItemsOf(useMe()).map(({ label }) => text(label));
  return (
    <Screen title={title}>
      <EmptyState icon={Ban} title={text('featureTitle')}>
        {text('feature', { places: formats.list(names) })}
      </EmptyState>
    </Screen>
  );
}
