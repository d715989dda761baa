import { createStore } from './store.ts';

export const shortcutList = createStore({ isOpen: false });

export function showShortcuts(): void {
  shortcutList.change(() => ({ isOpen: true }));
}

export function hideShortcuts(): void {
  shortcutList.change(() => ({ isOpen: false }));
}
