import { useMatches } from '@tanstack/react-router';
import { Suspense } from 'react';
import { mayOpenConsole } from '../admin/roles.ts';
import { lazyPart } from '../lazy-files.tsx';
import { useMe } from '../me.ts';

/** False for users without access, even at its URL. */
export function useIsInConsole(): boolean {
  const isThere = useMatches({ select: (matches) => matches.some(({ routeId }) => routeId.startsWith('/admin')) });
  return mayOpenConsole(useMe().role) && isThere;
}

const places = lazyPart(async () => {
  const { ConsolePlaces, preparePlaces } = await import('../admin/places.tsx');
  await preparePlaces();
  return { default: ConsolePlaces };
});

/** Loaded with a console screen, so that both are rendered together. */
export const loadConsolePlaces = places.prepare;

export function ConsolePlaces({ onGo }: { onGo?: () => void }) {
  return (
    <Suspense fallback={null}>
      <places.Part onGo={onGo} />
    </Suspense>
  );
}
