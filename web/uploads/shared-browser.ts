// On a browser that was marked as shared, at sign-in or when an address was confirmed, everything that was stored in it is
// removed when the session ends, also automatically: drafts, notes of uploads, handles of files, views of tables.
import { forgetHandles } from './handles.ts';

/** The cookie is set by server/http/pages/forms.ts. */
export function isSharedBrowser(): boolean {
  return markOf(document.cookie) !== null;
}

/** Whether the time is over for which an address was confirmed on a shared browser. */
export function isTimeOver(cookies: string, now: number): boolean {
  const mark = markOf(cookies);
  return mark !== null && mark !== 'yes' && Number(mark) <= now;
}

export function markOf(cookies: string): string | null {
  return /(?:^|;\s*)(?:__Host-|local-)shared=(yes|\d{1,16})(?:;|$)/.exec(cookies)?.[1] ?? null;
}

/** All of it begins like this; the colour scheme says nothing of anybody. */
const prefix = 'waybill:';
const harmless = ['waybill:scheme'];

/** The names among these that hold what somebody did. */
export function personalNames(names: readonly string[]): string[] {
  return names.filter((name) => name.startsWith(prefix) && !harmless.includes(name));
}

/** Removes what everybody who used this browser has stored in it. */
export async function forgetEverything(): Promise<void> {
  const handles = forgetHandles(prefix);
  try {
    const names = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '');
    for (const name of personalNames(names)) localStorage.removeItem(name);
  } catch {
    // Storage is forbidden, so nothing was stored.
  }
  await handles;
}

/** For pages that are shown when nobody is signed in; an address may still be confirmed for a while. */
export async function forgetWithoutSession(): Promise<void> {
  if (markOf(document.cookie) === 'yes') await forgetEverything();
  else await forgetAfterTime();
}

async function forgetAfterTime(): Promise<void> {
  if (isTimeOver(document.cookie, Date.now())) await forgetEverything();
}
