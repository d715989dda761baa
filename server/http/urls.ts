// Addresses people and programs see: always below the configured public address, never from the Host header (D17).
import type { HttpDeps } from './deps.ts';

export function publicUrl(deps: Pick<HttpDeps, 'baseUrl'>, path: string): string {
  return `${deps.baseUrl.origin}${basePath(deps)}${path}`;
}

/** Only paths of our own, so that a link can not send people elsewhere; `/` for anything else. */
export function readTarget(value: string | null): string {
  return value !== null && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(value) ? value : '/';
}

/** '' or '/files', without a slash at the end. */
export function basePath(deps: Pick<HttpDeps, 'baseUrl'>): string {
  return deps.baseUrl.pathname.replace(/\/+$/, '');
}
