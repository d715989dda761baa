// Finds ids inside texts: also where other letters are adjacent, as in `%2F<id>`, `\n<id>` or `<id><signature>`.

const idLength = 22;
const runOfLetters = /[A-Za-z0-9]{22,}/g;

/** Lower-case hexadecimal: a checksum. A random id has this form once in 10^13. */
const checksum = /^[0-9a-f]+$/;

/** Adds every part of a text that has the form of an id. */
export function collectIds(text: string, ids: Set<string>): void {
  if (text.length < idLength) return;
  for (const [run] of text.matchAll(runOfLetters)) {
    if (run.length > idLength && checksum.test(run)) continue;
    for (let at = 0; at + idLength <= run.length; at++) ids.add(run.slice(at, at + idLength));
  }
}

/** The text with replacements for the ids that have one. */
export function replaceIds(text: string, replacements: ReadonlyMap<string, string>): string {
  return text.length < idLength ? text : text.replace(runOfLetters, (run) => replaceIn(run, replacements));
}

function replaceIn(run: string, replacements: ReadonlyMap<string, string>): string {
  let replaced = '';
  let keptFrom = 0;
  for (let at = 0; at + idLength <= run.length; at++) {
    const replacement = replacements.get(run.slice(at, at + idLength));
    if (replacement === undefined) continue;
    replaced += run.slice(keptFrom, at) + replacement;
    keptFrom = at + idLength;
    at = keptFrom - 1;
  }
  return replaced + run.slice(keptFrom);
}
