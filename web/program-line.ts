// The one line with which a script downloads the file of a link.

/** `url` is ours: letters, digits and what addresses are made of, so that it needs no quotes. */
export function programLine(url: string): string {
  return `curl -LOJ -d '' ${url}`;
}
