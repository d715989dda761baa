// API calls with a session: only from our own pages, with the session's token, and with a content type that forms
// cannot send.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { unattendedHeader } from '#contract/endpoint.ts';
import type { Endpoint } from '#contract/endpoints.ts';
import { callerOf, findSignedIn, keepSessionAwake } from '../../actions/sessions/identities.ts';
import { csrfToken } from '../../actions/sessions/sessions.ts';
import type { Origin, UserCaller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { requiredOf } from '../../domain/sessions.ts';
import { sameText } from '../../lib/keyring.ts';
import type { HttpDeps } from '../deps.ts';
import { assertOwnPage } from '../pages/forms.ts';
import { setLanguage } from '../transport/languages.ts';
import { readToken, sessionCookie } from './visits.ts';

export type SessionRules = Pick<
  Endpoint,
  'method' | 'body' | 'sessionProof' | 'isPassive' | 'isOpenBeforePasswordChange'
>;

/** Call it only if there is no Authorization header. */
export function sessionOf(deps: HttpDeps, raw: IncomingMessage): string | undefined {
  return readToken(deps, raw, sessionCookie);
}

/** Checks without database come first, so that requests of foreign pages are cheap. */
export async function requireSession(
  deps: HttpDeps,
  raw: IncomingMessage,
  rules: SessionRules,
  { token, from }: { token: string; from: Origin },
): Promise<UserCaller> {
  if (rules.method !== 'GET') assertOwnPage(deps, raw);
  requireToken(deps, raw, token, rules);
  requireContentType(raw, rules);
  const user = await findSignedIn(deps.ctx, token, { isPassive: isPassive(raw, rules) });
  if (user === null)
    throw new Problem('unauthenticated', 'session.ended', 'Your session has ended. Sign in again to continue.');
  setLanguage(raw, user.language);
  const required = requiredOf(user);
  if (required === 'new_password' && rules.isOpenBeforePasswordChange !== true)
    throw new Problem(
      'forbidden',
      'session.password_change_needed',
      'An administrator has set your password. Choose another one first.',
    );
  if (required === 'second_step_setup' || required === 'passkey_setup')
    throw new Problem(
      'forbidden',
      'session.second_step_missing',
      'Your group asks for a second step at sign-in. Set it up first.',
    );
  return callerOf(user, from, deps.ctx.keys.hash('session', token));
}

/** Automatic requests of pages must not keep the session alive. A change always counts as activity. */
function isPassive(raw: IncomingMessage, rules: SessionRules): boolean {
  return rules.isPassive === true || (rules.method === 'GET' && raw.headers[unattendedHeader] !== undefined);
}

/** Also for reads: a foreign page must not be able to include the JSON. */
function requireToken(deps: HttpDeps, raw: IncomingMessage, token: string, rules: SessionRules): void {
  const given = raw.headers['x-csrf-token'];
  if (typeof given === 'string') {
    if (sameText(given, csrfToken(deps.ctx, token))) return;
  } else if (rules.sessionProof === 'own_page' && raw.headers['sec-fetch-site'] === 'same-origin') {
    // These cannot send the token; Sec-Fetch-Site proves the origin instead (docs/adr/0027).
    return;
  }
  throw new Problem('forbidden', 'request.no_token', 'This page is out of date. Reload it.');
}

/** Refuses types that forms can send, unless the call is a form. */
function requireContentType(raw: IncomingMessage, rules: SessionRules): void {
  if (rules.body === undefined) return;
  const type = (raw.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  const isForm = type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded';
  const isRight =
    rules.body === 'form'
      ? type === 'multipart/form-data'
      : rules.body === 'bytes'
        ? type !== '' && !isForm
        : type === 'application/json';
  if (isRight) return;
  throw new Problem('forbidden', 'request.form_type', 'This call does not take bodies of this type from a browser.');
}

const touchEveryMs = 60_000;

/** An upload in progress counts as activity. */
export function keepSessionActive(deps: HttpDeps, response: ServerResponse, token: string): void {
  if (response.closed) return;
  const touch = () => {
    keepSessionAwake(deps.ctx, token).catch((error: unknown) =>
      deps.ctx.log.warn({ err: String(error) }, 'a session could not be kept awake'),
    );
  };
  const timer = setInterval(touch, touchEveryMs);
  timer.unref();
  response.once('close', () => {
    clearInterval(timer);
    touch();
  });
}
