// Finds ids in texts, also next to other letters, as in `%2F<id>` or `<id><signature>`.

const idLength = 22;

/** By character code. */
const isOfId = Uint8Array.from({ length: 128 }, (_, code) => Number(/[A-Za-z0-9]/.test(String.fromCharCode(code))));

/** A checksum. A random id has this form once in 10^13. */
const checksum = /^[0-9a-f]+$/;

/**
 * Begin and end of runs of letters and digits as long as an id. Searches backwards, which skips most characters: a
 * regular expression takes thirty times as long.
 */
function runsIn(text: string): [number, number][] {
  const runs: [number, number][] = [];
  const isLetter = (at: number) => isOfId[text.charCodeAt(at)] === 1;
  let start = 0;
  while (start + idLength <= text.length) {
    let at = start + idLength - 1;
    while (at >= start && isLetter(at)) at -= 1;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    let end = start + idLength;
    while (end < text.length && isLetter(end)) end += 1;
    runs.push([start, end]);
    start = end;
  }
  return runs;
}

export function idsIn(text: string): Set<string> {
  const ids = new Set<string>();
  for (const [start, end] of runsIn(text)) {
    if (end - start > idLength && checksum.test(text.slice(start, end))) continue;
    for (let at = start; at + idLength <= end; at++) ids.add(text.slice(at, at + idLength));
  }
  return ids;
}

export function replaceIds(text: string, replacements: ReadonlyMap<string, string>): string {
  let replaced = '';
  let keptFrom = 0;
  for (const [start, end] of runsIn(text))
    for (let at = start; at + idLength <= end; at++) {
      const replacement = replacements.get(text.slice(at, at + idLength));
      if (replacement === undefined) continue;
      replaced += text.slice(keptFrom, at) + replacement;
      keptFrom = at + idLength;
      at = keptFrom - 1;
    }
  return replaced + text.slice(keptFrom);
}
