// What stands in place of a screen: still loading, failed, not allowed, nothing there (experience 4.6).
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Ban, SearchX } from 'lucide-react';
import { ClientProblem } from '#contract/client.ts';
import { useMe } from '../me.ts';
import { placesOf } from '../navigation.ts';
import { useLocale, useText } from '../texts.ts';
import { ButtonLink } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { Screen } from './screen.tsx';

export function ScreenLoading() {
  return <Skeleton lines={6} />;
}

/** Also for screens themselves: `if (query.error) return <ScreenFailed error={query.error} reset={query.refetch} />`. */
export function ScreenFailed({ error, reset }: Pick<ErrorComponentProps, 'error'> & { reset?: () => unknown }) {
  const text = useText('shell');
  const router = useRouter();
  const status = error instanceof ClientProblem ? error.status : 500;
  if (status === 404 || status === 410) return <NothingHere />;
  if (status === 403)
    return (
      <Screen title={text('forbiddenTitle')}>
        <EmptyState icon={Ban}>{text('forbidden')}</EmptyState>
      </Screen>
    );
  const retry = () => {
    // No refusal but a fault: perhaps a file of an older build, which only a new shell can name anew.
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

export function NothingHere() {
  const text = useText('shell');
  return (
    <Screen title={text('notFoundTitle')}>
      <EmptyState icon={SearchX} action={<ButtonLink to="/search">{text('search')}</ButtonLink>}>
        {text('notFound')}
      </EmptyState>
    </Screen>
  );
}

/** A screen of a feature that the group lacks answers with what is possible. */
export function NotForYourGroup({ title }: { title: string }) {
  const text = useText('shell');
  const locale = useLocale();
  const names = placesOf(useMe()).map(({ label }) => text(label));
  return (
    <Screen title={title}>
      <EmptyState icon={Ban} title={text('featureTitle')}>
        {text('feature', { places: new Intl.ListFormat(locale).format(names) })}
      </EmptyState>
    </Screen>
  );
}
