// Marks automatic requests of an inactive user as unattended: an open tab must not keep its session alive.
import { unattendedHeader } from '#contract/endpoint.ts';

/** People who read move the pointer or scroll now and then. */
const inactiveAfterMs = 60_000;
/** Not `scroll`: a growing list scrolls automatically. */
const activityEvents = ['pointerdown', 'pointermove', 'touchmove', 'wheel', 'keydown', 'input', 'click'] as const;

let lastActivityAt = performance.now();

/** Called once, before the first screen. */
export function watchUserActivity(): void {
  const note = () => {
    lastActivityAt = performance.now();
  };
  for (const event of activityEvents) addEventListener(event, note, { capture: true, passive: true });
}

export function isUserActive(): boolean {
  return performance.now() - lastActivityAt < inactiveAfterMs;
}

export function activityHeaders(): Record<string, string> {
  return isUserActive() ? {} : { [unattendedHeader]: '1' };
}
