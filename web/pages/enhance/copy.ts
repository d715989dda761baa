// Selects the text where the Clipboard API is missing.
import type { Announcer } from '../../uploads/announcements.ts';

const shownMs = 2_000;

export function enableCopying(announcer: Announcer): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => void copy(button, announcer));
  }
}

async function copy(button: HTMLButtonElement, announcer: Announcer): Promise<void> {
  const source = button.closest('.copyable')?.querySelector<HTMLElement>('pre, input');
  const text = button.dataset.copy || (source instanceof HTMLInputElement ? source.value : source?.textContent) || '';
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    if (source instanceof HTMLInputElement) source.select();
    else if (source) getSelection()?.selectAllChildren(source);
    return;
  }
  const label = button.textContent;
  const copied = button.dataset.copied ?? '';
  if (label === copied) return;
  button.textContent = copied;
  announcer.say(copied);
  setTimeout(() => {
    button.textContent = label;
  }, shownMs);
}
