// The only live regions of a page: one polite, one assertive, both made by the layout of pages that have a script.

import type { Announcer } from '../../uploads/announcements.ts';

export function findAnnouncer(): Announcer {
  return { say: sayIn('announcer'), warn: sayIn('announcer-urgent') };
}

function sayIn(id: string): (sentence: string) => void {
  const region = document.getElementById(id);
  return (sentence) => {
    // A repeated sentence is only said again when the text has changed in between.
    if (region) region.textContent = region.textContent === sentence ? `${sentence}\u00a0` : sentence;
  };
}
