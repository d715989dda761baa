// A browser marked as shared keeps nothing when the session ends.
import { clearStorage } from './durable-storage.ts';

/** Set by server/http/pages/forms.ts. */
export function isSharedBrowser(): boolean {
  return markOf(document.cookie) !== null;
}

/** The confirmation of an address has expired. */
export function isExpired(cookies: string, now: number): boolean {
  const mark = markOf(cookies);
  return mark !== null && mark !== 'yes' && Number(mark) <= now;
}

export function markOf(cookies: string): string | null {
  return /(?:^|;\s*)(?:__Host-|local-)shared=(yes|\d{1,16})(?:;|$)/.exec(cookies)?.[1] ?? null;
}

/** The colour scheme is not personal. */
const prefix = 'waybill:';
const notPersonal = ['waybill:scheme'];

export function isPersonal(name: string): boolean {
  return name.startsWith(prefix) && !notPersonal.includes(name);
}

/** Clears the data of all users of this browser. */
export function clearStoredData(): Promise<void> {
  return clearStorage(isPersonal, prefix);
}

/** An address may still be confirmed. */
export async function clearWithoutSession(): Promise<void> {
  if (markOf(document.cookie) === 'yes') await clearStoredData();
  else await clearWhenExpired();
}

async function clearWhenExpired(): Promise<void> {
  if (isExpired(document.cookie, Date.now())) await clearStoredData();
}
