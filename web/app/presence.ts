// Whether somebody is at the page. What it reads by itself (news, figures that are looked at again and again) says so to the
// server, or an open tab would keep its session from ever ending.
import { unattendedHeader } from '#contract/endpoint.ts';

/** Whoever reads a screen moves the pointer or scrolls now and then. */
const mostQuietMs = 60_000;
/** Not `scroll`: a list that grows by itself scrolls too. */
const signs = ['pointerdown', 'pointermove', 'touchmove', 'wheel', 'keydown', 'input', 'click'] as const;

/** To open a page is a sign of somebody too. */
let lastSignAt = performance.now();

/** Called once, before the first screen. */
export function watchPresence(): void {
  const note = () => {
    lastSignAt = performance.now();
  };
  for (const sign of signs) addEventListener(sign, note, { capture: true, passive: true });
}

export function isSomebodyHere(): boolean {
  return performance.now() - lastSignAt < mostQuietMs;
}

/** What goes with a read. */
export function presenceHeaders(): Record<string, string> {
  return isSomebodyHere() ? {} : { [unattendedHeader]: '1' };
}
