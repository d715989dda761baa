// Whether the search is open, and what is typed in it. Keys that precede the loaded field count too; otherwise they would
// be shortcuts.
import { createStore } from './store.ts';

export const searchDialog = createStore({ isOpen: false, typed: '' });

export function showSearch(): void {
  searchDialog.change(() => ({ isOpen: true, typed: '' }));
  addEventListener('keydown', typeEarly, { capture: true });
}

export function hideSearch(): void {
  searchDialog.change(() => ({ isOpen: false, typed: '' }));
  removeEventListener('keydown', typeEarly, { capture: true });
}

export function typeSearch(typed: string): void {
  searchDialog.change(({ isOpen }) => ({ isOpen, typed }));
}

function typeEarly(event: KeyboardEvent): void {
  if (document.activeElement?.closest('[role="dialog"]') != null) return;
  if (event.key === 'Escape') hideSearch();
  if (event.key.length !== 1 || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  typeSearch(searchDialog.read().typed + event.key);
}
