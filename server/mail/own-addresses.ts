// Filters quote the link they reject, and that link grants access.

/** Replaces everything after our host by `…`. */
export function withoutOwnAddresses(text: string, baseUrl: string): string {
  const host = new URL(baseUrl).hostname.replace(/[.[\]]/g, '\\$&');
  const address = new RegExp(`(${host}(?:(?::|%3A)\\d{1,5})?)(?:/|%2F)[^\\s<>"'()\\[\\]{}]*`, 'gi');
  return text.replace(address, '$1/…');
}
