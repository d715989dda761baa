// The result of a form for the page after its redirect, in one sealed cookie that is shown once and never holds a
// password.
import type { ServerResponse } from 'node:http';
import type { HttpDeps } from '../deps.ts';
import type { Exchange } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { clearCookie, readCookie, seeOther, setCookie } from './forms.ts';

const flashCookie = 'flash';
const lifetimeSeconds = 300;
const longLifetimeSeconds = 3600;

/** Browsers drop larger cookies silently. */
const maxCookieBytes = 3_600;

export function isScriptRequest({ raw }: Pick<Exchange, 'raw'>): boolean {
  return raw.headers['sec-fetch-dest'] === 'empty';
}

/** `via` shows another page before it. False if the content is too long: the caller must answer with the page itself. */
export function redirectWith(
  deps: HttpDeps,
  response: ServerResponse,
  path: string,
  { kept, cookies = [], via = path }: { kept: unknown; cookies?: string[]; via?: string },
): boolean {
  const sealed = deps.ctx.keys.sealText('flash', JSON.stringify(kept), pathOnly(path)).toString('base64url');
  if (sealed.length > maxCookieBytes) return false;
  const cookie = setCookie(deps, flashCookie, sealed, lifetimeSeconds);
  seeOther(response, `${basePath(deps)}${via}`, { 'set-cookie': [...cookies, cookie] });
  return true;
}

/** Keeps what a later page shows while the user is on another one. */
export function extendFlash(deps: HttpDeps, { raw }: Pick<Exchange, 'raw'>): string[] {
  const sealed = readCookie(deps, raw, flashCookie);
  return sealed === undefined ? [] : [setCookie(deps, flashCookie, sealed, longLifetimeSeconds)];
}

export interface Flash<Kept> {
  kept: Kept | null;
  /** Deletes the cookie after it was shown. */
  cookies: string[];
}

/** Anything invalid counts as none. */
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
