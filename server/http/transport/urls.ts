// Addresses people and programs see: always below the configured public address, never from the Host header,
// which clients can choose (security D17).

/** The public address of this installation. */
export interface Site {
  baseUrl: URL;
}

export function publicUrl(site: Site, path: string): string {
  return `${site.baseUrl.origin}${basePath(site)}${path}`;
}

/** Only paths of our own, so that a link cannot send people elsewhere; `/` for anything else. */
export function readTarget(value: string | null): string {
  return value !== null && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(value) ? value : '/';
}

/** '' or '/files', without a slash at the end. */
export function basePath(site: Site): string {
  return site.baseUrl.pathname.replace(/\/+$/, '');
}
