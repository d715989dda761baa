// The console as the shell knows it: whether people are in it, and its list of places, which is loaded with it.
import { useMatches } from '@tanstack/react-router';
import { Suspense } from 'react';
import { mayOpenConsole } from '../admin/roles.ts';
import { latePart } from '../late.tsx';
import { useMe } from '../me.ts';

/** False for people who may not see the console, even at its address: they keep the places they know. */
export function useIsInConsole(): boolean {
  const isThere = useMatches({ select: (matches) => matches.some(({ routeId }) => routeId.startsWith('/admin')) });
  return mayOpenConsole(useMe().role) && isThere;
}

const places = latePart(async () => {
  const { ConsolePlaces, preparePlaces } = await import('../admin/places.tsx');
  await preparePlaces();
  return { default: ConsolePlaces };
});

/** Beside a screen of the console, so that both are drawn at once. */
export const loadConsolePlaces = places.prepare;

export function ConsolePlaces({ onGo }: { onGo?: () => void }) {
  return (
    <Suspense fallback={null}>
      <places.Part onGo={onGo} />
    </Suspense>
  );
}
