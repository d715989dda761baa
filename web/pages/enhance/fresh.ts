// Updates the changing parts of a page from a newly fetched copy of it. A form present in both stays, which preserves
// the focus on its button.

export function refresh(fresh: Document): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-fresh]')) {
    const newer = fresh.querySelector<HTMLElement>(`[data-fresh="${CSS.escape(element.dataset.fresh ?? '')}"]`);
    if (newer === null) remove(element);
    else if (!newer.querySelector('form') || !element.querySelector('form'))
      element.replaceWith(document.importNode(newer, true));
  }
}

/** Move the focus before removing the element that has it. */
function remove(element: HTMLElement): void {
  if (element.contains(document.activeElement)) document.getElementById('content')?.focus();
  element.remove();
}
