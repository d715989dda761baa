// Updates the changing parts from a newly fetched page. A form present in both stays, and so does the focus.

export function refresh(fresh: Document): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-fresh]')) {
    const newer = fresh.querySelector<HTMLElement>(`[data-fresh="${CSS.escape(element.dataset.fresh ?? '')}"]`);
    if (newer === null) remove(element);
    else if (!newer.querySelector('form') || !element.querySelector('form'))
      element.replaceWith(document.importNode(newer, true));
  }
}

/** Move the focus first. */
function remove(element: HTMLElement): void {
  if (element.contains(document.activeElement)) document.getElementById('content')?.focus();
  element.remove();
}
