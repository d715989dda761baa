// The session as the app sees it: whose it is, its token, and what happens when it ends under the app's feet. Calls that the
// server no longer takes wait here until the person is signed in again; nothing that was typed or sent is lost.
import type { MeBody } from '#contract/app/me.ts';
import { clearStoredData, isSharedBrowser } from '../uploads/shared-browser.ts';
import { basePath } from './host-page.ts';
import { presenceHeaders } from './presence.ts';
import { createStore } from './store.ts';

interface Session {
  /** Goes with every call, as `X-CSRF-Token`: proof that it comes from our own page. */
  csrf: string;
  isEnded: boolean;
}

export const session = createStore<Session>({ csrf: '', isEnded: false });

let personId: string | null = null;
let waiting: PromiseWithResolvers<void> | null = null;
let looking: Promise<MeBody | null> | null = null;

export function csrfToken(): string {
  return session.read().csrf;
}

/**
 * Null when nobody is signed in. Not a call of api.ts: those wait for a session, this one checks whether there is one.
 * Somebody else's reloads the app, so that nothing of the two is mixed.
 */
export async function readMe(): Promise<MeBody | null> {
  const response = await fetch(`${basePath}/app-api/me`, {
    headers: { accept: 'application/json', ...presenceHeaders() },
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

/**
 * The server did not take the session that a call went with. Resolves when there is one of the same person: at once if
 * another tab of this browser has begun it, otherwise when they have signed in again.
 */
export async function untilSignedIn(): Promise<void> {
  if (!session.read().isEnded) {
    // When nobody can be asked, the person signs in again, or comes back to the tab once the connection is back.
    looking ??= readMe()
      .catch(() => null)
      .finally(() => {
        looking = null;
      });
    if ((await looking) !== null) return;
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

/** Nothing waits there for the person to return: somebody else may be at the screen. The sign-in page removes it again. */
async function leaveSharedBrowser(): Promise<void> {
  await clearStoredData();
  goToSignIn();
}
