// Is this a program or a browser (security D5, compatibility rule 2)? Never by suffix or query.
import type { IncomingMessage } from 'node:http';

/** A page is served only to a request that asks for HTML and carries no Authorization header. */
export function wantsJson(raw: IncomingMessage): boolean {
  const { authorization, accept } = raw.headers;
  return authorization !== undefined || accept === undefined || asksForJson(raw);
}

/** Old scripts get bare text unless they asked for JSON. */
export function asksForJson(raw: IncomingMessage): boolean {
  return (
    /application\/json/i.test(raw.headers.accept ?? '') || /^application\/json/i.test(raw.headers['content-type'] ?? '')
  );
}

/** A person typed or followed the address: a browser that asks for a page. Programs ask for anything, or for JSON. */
export function isOpenedByHand(raw: IncomingMessage): boolean {
  return raw.method === 'GET' && !wantsJson(raw) && /text\/html/i.test(raw.headers.accept ?? '');
}
