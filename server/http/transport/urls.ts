// Below the configured public address, never the Host header, which clients choose.

export interface Site {
  baseUrl: URL;
}

export function publicUrl(site: Site, path: string): string {
  return `${site.baseUrl.origin}${basePath(site)}${path}`;
}

/** Own paths only, so that a link cannot redirect to another site. */
export function readTarget(value: string | null): string {
  return value !== null && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(value) ? value : '/';
}

/** '' or '/files', without a trailing slash. */
export function basePath(site: Site): string {
  return site.baseUrl.pathname.replace(/\/+$/, '');
}
