// Forms of pages: only from our own pages, and the small cookies that go with them (security D3, D4).
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../../domain/problem.ts';
import { readForm } from '../transport/body.ts';
import type { Site } from '../transport/urls.ts';

/** Reads a form posted by one of our own pages; anything else is refused before it is read. */
export async function readOwnForm(
  site: Site,
  raw: IncomingMessage,
  response: ServerResponse,
): Promise<URLSearchParams> {
  assertOwnPage(site, raw);
  return readForm(raw, response);
}

/** `Sec-Fetch-Site: same-origin`, or for browsers without it an Origin equal to ours. Neither: refused. */
export function assertOwnPage(site: Site, raw: IncomingMessage): void {
  const fetchSite = raw.headers['sec-fetch-site'];
  const { origin, host } = raw.headers;
  const isOwn =
    fetchSite === undefined ? origin !== undefined && isOwnOrigin(site, origin, host) : fetchSite === 'same-origin';
  if (!isOwn) throw foreignForm();
}

/** Programs name no page they come from and bring no cookie; without one there is nothing that could be forged. */
export function isProgramPress({ headers }: IncomingMessage): boolean {
  return headers['sec-fetch-site'] === undefined && headers.origin === undefined && headers.cookie === undefined;
}

export function foreignForm(): Problem {
  return new Problem(
    'forbidden',
    'request.foreign_form',
    'This form was not sent from our own page. Open the page again and retry.',
  );
}

/** Behind the same Host that was allowed already, plain HTTP on loopback included. */
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

/** `__Host-` needs HTTPS; on loopback over plain HTTP the name differs, so that neither is taken for the other. */
export function cookieName(site: Site, name: string): string {
  return site.baseUrl.protocol === 'https:' ? `__Host-${name}` : `local-${name}`;
}

/** A cookie invisible to script, for this browser session or for a time. */
export function setCookie(site: Site, name: string, value: string, lifetimeSeconds: number | null = null): string {
  const age = lifetimeSeconds === null ? '' : `; Max-Age=${lifetimeSeconds}`;
  const secure = site.baseUrl.protocol === 'https:' ? '; Secure' : '';
  return `${cookieName(site, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`;
}

/** How long a browser is remembered as shared; a sign-in without the tick ends it sooner. */
const sharedMarkSeconds = 365 * 86_400;

/**
 * Marks a browser as shared, for scripts, which then remove what they stored in it when nobody is signed in any more
 * (web/uploads/shared-browser.ts). `endsAt`: when that is, if it is fixed.
 */
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

/** Takes a cookie away again. */
export function clearCookie(site: Site, name: string): string {
  return setCookie(site, name, '', 0);
}
