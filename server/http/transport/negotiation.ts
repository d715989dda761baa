import type { IncomingMessage } from 'node:http';

/** Never decided by suffix or query. */
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

/** A browser navigation; programs accept anything, or JSON. */
export function isNavigation(raw: IncomingMessage): boolean {
  return raw.method === 'GET' && !wantsJson(raw) && /text\/html/i.test(raw.headers.accept ?? '');
}
