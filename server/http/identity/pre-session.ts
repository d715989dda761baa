// Forms before sign-in carry a token bound to a cookie, so that a foreign page cannot sign a visitor in to another
// account.
import type { IncomingMessage } from 'node:http';
import type { Page } from '#web/pages/page.ts';
import { csrfToken } from '../../actions/sessions/sessions.ts';
import { Problem } from '../../domain/problem.ts';
import { sameText } from '../../lib/keyring.ts';
import { mask, unmask } from '../../lib/masking.ts';
import type { HttpDeps } from '../deps.ts';
import { foreignForm, readOwnForm, setCookie } from '../pages/forms.ts';
import type { PageOptions } from '../pages/page-renderer.ts';
import type { Exchange } from '../transport/router.ts';
import { readToken } from './visits.ts';

const preSessionCookie = 'pre';

/** Pages with forms for visitors who are not signed in. */
const guardedKinds = new Set([
  'sign-in',
  'forgot',
  'reset',
  'invitation',
  'confirm-address',
  'link-password',
  'recipient-passkeys',
]);

/** Adds the token to forms that need it, and sets the cookie. */
export function sendPage(deps: HttpDeps, exchange: Exchange, page: Page, options: PageOptions = {}): void {
  if (!guardedKinds.has(page.kind)) {
    deps.pages.send(exchange, page, options);
    return;
  }
  const known = readToken(deps, exchange.raw, preSessionCookie);
  const cookie = known ?? deps.ctx.random.id(44);
  const guarded = withToken(page, mask(tokenOf(deps, cookie))) as Page;
  const others = [options.headers?.['set-cookie'] ?? []].flat();
  const cookies = known === undefined ? [...others, setCookie(deps, preSessionCookie, cookie)] : others;
  const headers = cookies.length === 0 ? options.headers : { ...options.headers, 'set-cookie': cookies };
  deps.pages.send(exchange, guarded, { ...options, ...(headers === undefined ? {} : { headers }) });
}

/** Refuses a form without the token of this browser. */
export async function readGuardedForm(deps: HttpDeps, exchange: Exchange): Promise<URLSearchParams> {
  const form = await readOwnForm(deps, exchange.raw, exchange.response);
  requirePreSession(deps, exchange.raw, form.get('csrf'));
  return form;
}

function requirePreSession(deps: HttpDeps, raw: IncomingMessage, given: string | null): void {
  const cookie = readToken(deps, raw, preSessionCookie);
  if (cookie === undefined) throw noCookie();
  if (given === null || !sameText(unmask(given), tokenOf(deps, cookie))) throw foreignForm();
}

/** The browser rejected the cookie; opening the page again would not help. */
function noCookie(): Problem {
  return new Problem(
    'forbidden',
    'request.no_cookie',
    'This form needs a cookie, which your browser blocked. Allow cookies for this site, then open the page again.',
  );
}

function tokenOf(deps: HttpDeps, cookie: string): string {
  return csrfToken(deps.ctx, `pre/${cookie}`);
}

/** Every object with an `action` is a form. */
function withToken(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withToken(item, token));
  if (value === null || typeof value !== 'object') return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withToken(inner, token)]));
  return typeof copy.action === 'string' && copy.csrf === undefined ? { ...copy, csrf: token } : copy;
}
