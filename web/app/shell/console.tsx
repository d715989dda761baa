import { useMatches } from '@tanstack/react-router';
import { Suspense } from 'react';
import { mayOpenConsole } from '../admin/roles.ts';
import { lazyPart } from '../lazy-files.tsx';
import { useMe } from '../me.ts';

/** False for users without access, even at its URL. */
export function useIsInConsole(): boolean {
  const isConsoleRoute = useMatches({
    select: (matches) => matches.some(({ routeId }) => routeId.startsWith('/admin')),
  });
  return mayOpenConsole(useMe().role) && isConsoleRoute;
}

const navigation = lazyPart(async () => {
  const { ConsoleNavigation, prepareNavigation } = await import('../admin/console-navigation.tsx');
  await prepareNavigation();
  return { default: ConsoleNavigation };
});

/** Loaded with a console screen, so that both are rendered together. */
export const loadConsoleNavigation = navigation.prepare;

export function ConsoleNavigation({ onNavigate }: { onNavigate?: () => void }) {
  return (
    <Suspense fallback={null}>
      <navigation.Part onNavigate={onNavigate} />
    </Suspense>
  );
}
