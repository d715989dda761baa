// What a form has to say after its redirect: which fields were wrong, what was typed. It travels in one sealed cookie,
// is shown once by the page it belongs to, and never holds a password. So reloading a page never posts a form again.
import type { ServerResponse } from 'node:http';
import type { HttpDeps } from '../deps.ts';
import type { Exchange } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { clearCookie, readCookie, seeOther, setCookie } from './forms.ts';

const flashCookie = 'flash';
const lifetimeSeconds = 300;

/** Browsers throw away larger cookies without a word. */
const mostCookieBytes = 3_600;

/** It reads the answer itself, so there is nothing that a reload could post again. */
export function isAskedByScript({ raw }: Pick<Exchange, 'raw'>): boolean {
  return raw.headers['sec-fetch-dest'] === 'empty';
}

/**
 * Leads to the page at `path`, below the base path, which then shows what is kept here. False when it is too long for
 * that: then the caller answers with the page itself.
 */
export function redirectWith(
  deps: HttpDeps,
  response: ServerResponse,
  path: string,
  { kept, cookies = [] }: { kept: unknown; cookies?: string[] },
): boolean {
  const sealed = deps.ctx.keys.sealText('flash', JSON.stringify(kept), pathOnly(path)).toString('base64url');
  if (sealed.length > mostCookieBytes) return false;
  const cookie = setCookie(deps, flashCookie, sealed, lifetimeSeconds);
  seeOther(response, `${basePath(deps)}${path}`, { 'set-cookie': [...cookies, cookie] });
  return true;
}

export interface Flash<Kept> {
  kept: Kept | null;
  /** For the answer: takes the cookie away once it was shown. */
  cookies: string[];
}

/** What the last form left for the page at this path. Anything else, and anything tampered with, counts as nothing. */
export function readFlash<Kept>(deps: HttpDeps, { raw }: Pick<Exchange, 'raw'>, path: string): Flash<Kept> {
  const sealed = readCookie(deps, raw, flashCookie);
  if (sealed === undefined) return { kept: null, cookies: [] };
  try {
    const text = deps.ctx.keys.openText('flash', Buffer.from(sealed, 'base64url'), pathOnly(path));
    return { kept: JSON.parse(text) as Kept, cookies: [clearCookie(deps, flashCookie)] };
  } catch {
    return { kept: null, cookies: [] };
  }
}

function pathOnly(path: string): string {
  return path.split('?', 1)[0]!;
}
