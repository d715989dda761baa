// Forms of our own pages, and their cookies.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../../domain/problem.ts';
import { readForm } from '../transport/body.ts';
import type { Site } from '../transport/urls.ts';

/** Refuses forms of other origins before reading them. */
export async function readOwnForm(
  site: Site,
  raw: IncomingMessage,
  response: ServerResponse,
): Promise<URLSearchParams> {
  assertOwnPage(site, raw);
  return readForm(raw, response);
}

/** Sec-Fetch-Site, or, for browsers without it, Origin. */
export function assertOwnPage(site: Site, raw: IncomingMessage): void {
  const fetchSite = raw.headers['sec-fetch-site'];
  const { origin, host } = raw.headers;
  const isOwn =
    fetchSite === undefined ? origin !== undefined && isOwnOrigin(site, origin, host) : fetchSite === 'same-origin';
  if (!isOwn) throw foreignForm();
}

/** Without a cookie nothing can be forged. */
export function isProgramRequest({ headers }: IncomingMessage): boolean {
  return headers['sec-fetch-site'] === undefined && headers.origin === undefined && headers.cookie === undefined;
}

export function foreignForm(): Problem {
  return new Problem(
    'forbidden',
    'request.foreign_form',
    'This form was not sent from our own page. Open the page again and retry.',
  );
}

/** The guard has already allowed the Host. */
function isOwnOrigin(site: Site, origin: string, host: string | undefined): boolean {
  return (
    origin === site.baseUrl.origin ||
    (host !== undefined && (origin === `http://${host}` || origin === `https://${host}`))
  );
}

export function seeOther(
  response: ServerResponse,
  location: string,
  headers: Record<string, string | string[]> = {},
): void {
  response.writeHead(303, {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-length': 0,
    ...headers,
  });
  response.end();
}

/** `__Host-` needs HTTPS; on loopback the name differs. */
export function cookieName(site: Site, name: string): string {
  return site.baseUrl.protocol === 'https:' ? `__Host-${name}` : `local-${name}`;
}

/** HttpOnly; without a lifetime it ends with the browser session. */
export function setCookie(site: Site, name: string, value: string, lifetimeSeconds: number | null = null): string {
  const age = lifetimeSeconds === null ? '' : `; Max-Age=${lifetimeSeconds}`;
  const secure = site.baseUrl.protocol === 'https:' ? '; Secure' : '';
  return `${cookieName(site, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`;
}

/** A later sign-in without the tick ends it sooner. */
const sharedMarkSeconds = 365 * 86_400;

/** Readable by scripts, which delete stored data after sign-out (web/uploads/shared-browser.ts). */
export function sharedMark(site: Site, endsAt: number | null): string {
  return setCookie(site, sharedMarkCookie, `${endsAt ?? 'yes'}`, sharedMarkSeconds).replace('; HttpOnly', '');
}

export const sharedMarkCookie = 'shared';

export function readCookie(site: Site, raw: IncomingMessage, name: string): string | undefined {
  const wanted = cookieName(site, name);
  for (const pair of (raw.headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === wanted) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

export function clearCookie(site: Site, name: string): string {
  return setCookie(site, name, '', 0);
}
