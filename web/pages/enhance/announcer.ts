// The live regions of a page, one polite and one assertive; the layout renders them on pages with a script.

import type { Announcer } from '../../uploads/announcements.ts';

export function findAnnouncer(): Announcer {
  return { say: sayIn('announcer'), warn: sayIn('announcer-urgent') };
}

function sayIn(id: string): (sentence: string) => void {
  const region = document.getElementById(id);
  return (sentence) => {
    // Screen readers announce a repeated sentence only if the text differs.
    if (region) region.textContent = region.textContent === sentence ? `${sentence}\u00a0` : sentence;
  };
}
