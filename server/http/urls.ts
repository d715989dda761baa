// Addresses people and programs see: always below the configured public address, never from the Host header (D17).
import type { HttpDeps } from './deps.ts';

export function publicUrl(deps: Pick<HttpDeps, 'baseUrl'>, path: string): string {
  return `${deps.baseUrl.origin}${basePath(deps)}${path}`;
}

/** '' or '/files', without a slash at the end. */
export function basePath(deps: Pick<HttpDeps, 'baseUrl'>): string {
  return deps.baseUrl.pathname.replace(/\/+$/, '');
}
