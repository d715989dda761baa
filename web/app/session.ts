// The session as the app sees it: its token, and what happens when it ends under the app's feet. Calls that find it ended
// wait here until the person has signed in again; nothing that was typed or sent is lost.
import { createStore } from './store.ts';

interface Session {
  /** Goes with every call, as `X-CSRF-Token`: proof that it comes from our own page. */
  csrf: string;
  isEnded: boolean;
}

export const session = createStore<Session>({ csrf: '', isEnded: false });

let waiting: PromiseWithResolvers<void> | null = null;

export function csrfToken(): string {
  return session.read().csrf;
}

export function beginSession(csrf: string): void {
  session.change(() => ({ csrf, isEnded: false }));
  waiting?.resolve();
  waiting = null;
}

/** Resolves when the person has signed in again. */
export function sessionEnded(): Promise<void> {
  waiting ??= Promise.withResolvers<void>();
  session.change((now) => (now.isEnded ? now : { ...now, isEnded: true }));
  return waiting.promise;
}
