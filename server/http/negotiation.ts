// Is this a program or a browser (security D5, compatibility rule 2)? Never by suffix or query.
import type { IncomingMessage } from 'node:http';

/** A page is served only to a request that asks for HTML and carries no Authorization header. */
export function wantsJson(raw: IncomingMessage): boolean {
  const { authorization, accept, 'content-type': contentType } = raw.headers;
  if (authorization !== undefined) return true;
  if (accept === undefined) return true;
  if (accept.includes('application/json')) return true;
  return contentType?.startsWith('application/json') ?? false;
}

/** Old scripts get bare text unless they asked for JSON. */
export function asksForJson(raw: IncomingMessage): boolean {
  return (
    (raw.headers.accept ?? '').includes('application/json') ||
    (raw.headers['content-type'] ?? '').startsWith('application/json')
  );
}
