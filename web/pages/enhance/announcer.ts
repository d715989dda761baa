// The layout renders both live regions on pages with a script.

import type { Announcer } from '../../uploads/announcements.ts';

export function findAnnouncer(): Announcer {
  return { say: sayIn('announcer'), warn: sayIn('announcer-urgent') };
}

function sayIn(id: string): (sentence: string) => void {
  const region = document.getElementById(id);
  return (sentence) => {
    // Screen readers ignore a repetition of the same text.
    if (region) region.textContent = region.textContent === sentence ? `${sentence}\u00a0` : sentence;
  };
}
