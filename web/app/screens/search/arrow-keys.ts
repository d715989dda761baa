// Moves the focus with arrow keys between the search field and its results.
import type { KeyboardEvent } from 'react';

/** True when the key was handled. */
export function moveInResults(event: KeyboardEvent<HTMLElement>): boolean {
  if (event.defaultPrevented) return false;
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return false;
  const lines = [...document.querySelectorAll<HTMLElement>('input[data-search], a[data-result]')].filter(
    (line) => line.offsetParent !== null,
  );
  const now = lines.indexOf(document.activeElement as HTMLElement);
  const next = lines[now + (event.key === 'ArrowDown' ? 1 : -1)];
  if (next === undefined) return false;
  event.preventDefault();
  next.focus();
  return true;
}
