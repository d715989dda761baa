// Shows the card or setting that the URL names: `?at=Backups`, `?at=storage_quota`.
import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { SearchParams } from '../search-params.ts';

/** What loads above it may move it, until the user does something. */
const followMs = 5_000;

export function useReveal(): void {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const at = useRouterState({ select: ({ location }) => (location.search as SearchParams).at });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same name may be on another screen
  useEffect(() => {
    const main = document.getElementById('content');
    if (at === undefined || main === null) return;
    let isFocused = false;
    const reveal = () => {
      const target = findPlace(main, at);
      if (target === null) return;
      target.scrollIntoView({ block: 'center' });
      if (isFocused) return;
      isFocused = true;
      target.tabIndex = -1;
      target.focus({ preventScroll: true });
      target.dataset.revealed = '';
      target.addEventListener('blur', () => delete target.dataset.revealed, { once: true });
    };
    const end = new AbortController();
    const observer = new MutationObserver(reveal);
    observer.observe(main, { childList: true, subtree: true });
    const stop = () => end.abort();
    const timer = setTimeout(stop, followMs);
    end.signal.addEventListener('abort', () => observer.disconnect());
    for (const input of ['pointerdown', 'wheel', 'keydown'])
      addEventListener(input, stop, { signal: end.signal, capture: true });
    reveal();
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [path, at]);
}

function findPlace(main: HTMLElement, at: string): HTMLElement | null {
  const setting = document.getElementById(`setting-${at}`);
  if (setting !== null) return setting;
  const names = [...main.querySelectorAll<HTMLElement>('h2, legend, label, code')];
  const name = names.find((element) => element.textContent?.trim() === at);
  return name?.closest<HTMLElement>('section, fieldset, tr') ?? name ?? null;
}
