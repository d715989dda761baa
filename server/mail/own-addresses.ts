// Hides addresses of this installation in what other mail servers answer: filters quote the link that they object to, and the
// address of a transfer opens it.

/** The text with `…` behind the name of our host. */
export function withoutOwnAddresses(text: string, baseUrl: string): string {
  const host = new URL(baseUrl).hostname.replace(/[.[\]]/g, '\\$&');
  const address = new RegExp(`(${host}(?:(?::|%3A)\\d{1,5})?)(?:/|%2F)[^\\s<>"'()\\[\\]{}]*`, 'gi');
  return text.replace(address, '$1/…');
}
