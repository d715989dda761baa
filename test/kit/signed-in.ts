// A signed-in browser that calls the API as the web app does, with session cookie and token. Checks replies against the
// contract.
import { csrfToken, signInWithPassword } from '#server/actions/sessions/sessions.ts';
import { systemCaller } from '#server/domain/caller.ts';
import type { TestApp } from './app.ts';
import { ApiClient, type Reply } from './client.ts';
import type { Wanted } from './http.ts';

export class SignedIn extends ApiClient {
  readonly session: string;
  /** Sent with every call; tests remove parts of it. */
  readonly shown: Record<string, string>;

  constructor(url: string, email: string, session: string, token: string) {
    super(url, null, email);
    this.session = session;
    this.shown = { cookie: `local-sid=${session}`, 'x-csrf-token': token, 'sec-fetch-site': 'same-origin' };
  }

  override fetch(path: string, init: Wanted = {}): Promise<Reply> {
    const headers = { ...this.shown, ...init.headers };
    // '' leaves a header out.
    const kept = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
    return super.fetch(path, { ...init, headers: kept });
  }
}

export async function signIn(app: TestApp, email: string, password: string, keep = false): Promise<SignedIn> {
  const { ctx } = app.app;
  const { token } = await signInWithPassword(ctx, systemCaller, { login: email, password, keep });
  return new SignedIn(app.url, email, token, csrfToken(ctx, token));
}
