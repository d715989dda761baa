// Marks automatic requests of an inactive user as unattended: an open tab must not keep its session alive.
import { unattendedHeader } from '#contract/endpoint.ts';

/** People who read move the pointer or scroll now and then. */
const inactiveAfterMs = 60_000;
/** Not `scroll`: a growing list scrolls automatically. */
const signs = ['pointerdown', 'pointermove', 'touchmove', 'wheel', 'keydown', 'input', 'click'] as const;

let lastSignAt = performance.now();

/** Called once, before the first screen. */
export function watchUserActivity(): void {
  const note = () => {
    lastSignAt = performance.now();
  };
  for (const sign of signs) addEventListener(sign, note, { capture: true, passive: true });
}

export function isUserActive(): boolean {
  return performance.now() - lastSignAt < inactiveAfterMs;
}

export function activityHeaders(): Record<string, string> {
  return isUserActive() ? {} : { [unattendedHeader]: '1' };
}
