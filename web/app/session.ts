// Calls with a 401 wait here until the user has signed in again.
import type { MeBody } from '#contract/app/me.ts';
import { clearStoredData, isSharedBrowser } from '../uploads/shared-browser.ts';
import { basePath } from './host-page.ts';
import { createStore } from './store.ts';
import { activityHeaders } from './user-activity.ts';

interface Session {
  /** Sent with every call as `X-CSRF-Token`. */
  csrf: string;
  isEnded: boolean;
}

export const session = createStore<Session>({ csrf: '', isEnded: false });

let personId: string | null = null;
let waiting: PromiseWithResolvers<void> | null = null;
let pendingCheck: Promise<MeBody | null> | null = null;

export function csrfToken(): string {
  return session.read().csrf;
}

/** Null without a session. For another user the app reloads. Not a call of api.ts, because those wait for a session. */
export async function fetchMe(): Promise<MeBody | null> {
  const response = await fetch(`${basePath}/app-api/me`, {
    headers: { accept: 'application/json', ...activityHeaders() },
  });
  if (response.status === 401) return null;
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const { me } = (await response.json()) as { me: MeBody };
  if (personId !== null && me.id !== personId) {
    location.reload();
    return new Promise(() => {});
  }
  personId = me.id;
  begin(me.csrf_token ?? '');
  return me;
}

function begin(csrf: string): void {
  session.change(() => ({ csrf, isEnded: false }));
  waiting?.resolve();
  waiting = null;
}

/** Call after a 401. Resolves when the same user has a session, also one that another tab has started. */
export async function untilSignedIn(): Promise<void> {
  if (!session.read().isEnded) {
    pendingCheck ??= fetchMe()
      .catch(() => null)
      .finally(() => {
        pendingCheck = null;
      });
    if ((await pendingCheck) !== null) return;
    if (isSharedBrowser()) void leaveSharedBrowser();
    session.change((now) => ({ ...now, isEnded: true }));
  }
  waiting ??= Promise.withResolvers<void>();
  return waiting.promise;
}

export function goToSignIn(): void {
  const here = location.pathname.slice(basePath.length) + location.search;
  location.replace(`${basePath}/sign-in?to=${encodeURIComponent(here)}`);
}

/** Nothing may wait for the user's return. The sign-in page clears stored data again. */
async function leaveSharedBrowser(): Promise<void> {
  await clearStoredData();
  goToSignIn();
}
