// A part of a screen that waits for an answer: its shape, then the content; a failure stays in its place with Try again.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState } from './error-state.tsx';
import { Skeleton } from './skeleton.tsx';

interface Props<Answer> {
  query: UseQueryResult<Answer, Error>;
  lines?: number;
  children: (answer: Answer) => ReactNode;
}

export function Loaded<Answer>({ query, lines = 3, children }: Props<Answer>) {
  const retry = () => void query.refetch();
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <ErrorState error={query.error} onRetry={retry} />;
  return <Skeleton lines={lines} onRetry={retry} />;
}
