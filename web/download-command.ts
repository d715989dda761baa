// The command that downloads the file of a link.

/** `url` needs no quotes: it is created by the server from letters, digits and URL punctuation. */
export function downloadCommand(url: string): string {
  return `curl -LOJ -d '' ${url}`;
}
