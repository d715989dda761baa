// Pages and mails in a frame of the console: they run nothing, and their links lead nowhere.

export type ColourScheme = 'light' | 'dark';

/** `sources` of pictures and fonts. */
export function previewHeaders(sources: string): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    vary: 'Accept, Authorization, Cookie',
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${sources}; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'`,
    'referrer-policy': 'no-referrer',
  };
}

/** Independently of the administrator's own colour scheme. */
export function inScheme(html: string, scheme: ColourScheme): string {
  const applies = scheme === 'dark' ? 'all' : 'not all';
  return html.replaceAll(/@media\s*\(prefers-color-scheme:\s*dark\)/g, `@media ${applies}`);
}

/** Style elements instead of linked files, whose media queries could not be changed. */
export function withStyles(html: string, css: string): string {
  const withoutLinks = html
    .replaceAll(/<link rel="stylesheet"[^>]*>/g, '')
    .replaceAll(/<script\b[^>]*><\/script>/g, '');
  return withoutLinks.replace('</head>', () => `<style>${css}</style></head>`);
}

/** URLs of a style sheet are relative to its own path. */
export function withAbsoluteUrls(css: string, path: string): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return css.replaceAll(/url\((['"]?)(?:\.\/)?(?!data:|\/)/g, (_, quote: string) => `url(${quote}${folder}`);
}
