// Brings the parts of a page that change by themselves up to date, from the same page as the server draws it now. Forms
// stay as they are while there is one in both, so that the focus stays on its button.

export function refresh(fresh: Document): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-fresh]')) {
    const newer = fresh.querySelector<HTMLElement>(`[data-fresh="${CSS.escape(element.dataset.fresh ?? '')}"]`);
    if (newer === null) remove(element);
    else if (!newer.querySelector('form') || !element.querySelector('form'))
      element.replaceWith(document.importNode(newer, true));
  }
}

/** The focus would fall out of the page with what it is on. */
function remove(element: HTMLElement): void {
  if (element.contains(document.activeElement)) document.getElementById('content')?.focus();
  element.remove();
}
