/** `url` needs no quotes: the server creates it from letters, digits and URL punctuation. */
export function downloadCommand(url: string): string {
  return `curl -LOJ -d '' ${url}`;
}
