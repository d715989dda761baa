// Focuses the h1 of a new screen or, after Back, the link that was followed.
import type { AnyRouter } from '@tanstack/react-router';

const leftBy = new Map<string, string>();
let arrival: 'first' | 'forward' | { back: string | undefined } = 'first';

/** Called once, by the shell. Returns the function that stops it. */
export function watchNavigation(router: AnyRouter): () => void {
  let lastIndex = indexOf(router);
  return router.subscribe('onBeforeNavigate', ({ fromLocation, toLocation, pathChanged }) => {
    if (!pathChanged || fromLocation === undefined) return;
    const index = indexOf(router);
    const link = document.activeElement?.closest('a')?.getAttribute('href');
    if (link) leftBy.set(fromLocation.pathname, link);
    arrival = index < lastIndex ? { back: leftBy.get(toLocation.pathname) } : 'forward';
    lastIndex = index;
  });
}

function indexOf(router: AnyRouter): number {
  return Number(router.history.location.state.__TSR_index ?? 0);
}

export function focusScreen(heading: HTMLElement): void {
  if (arrival === 'first') return;
  const { back } = typeof arrival === 'object' ? arrival : { back: undefined };
  const link = back === undefined ? null : document.querySelector<HTMLElement>(`main a[href="${CSS.escape(back)}"]`);
  (link ?? heading).focus({ preventScroll: true });
}
