// Suggests `ben@harbour.example` for `ben@harbour.exmaple`.

/** Other domains come from the contacts. */
const common = [
  'aol.com',
  'bluewin.ch',
  'free.fr',
  'gmail.com',
  'gmx.at',
  'gmx.de',
  'gmx.net',
  'hotmail.com',
  'icloud.com',
  'live.com',
  'me.com',
  'orange.fr',
  'outlook.com',
  'proton.me',
  'protonmail.com',
  't-online.de',
  'telia.com',
  'web.de',
  'yahoo.com',
];

/** Known domains are right. */
export function typoOf(address: string, known: Iterable<string>): string | null {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1).toLowerCase();
  if (at < 1 || domain.length < 4) return null;
  const right = new Set([...known, ...common].map((one) => one.toLowerCase()));
  if (right.has(domain)) return null;
  // A short domain is close to too many others.
  const furthest = domain.length < 8 ? 1 : 2;
  let best: { domain: string; steps: number } | null = null;
  for (const one of right) {
    const steps = stepsBetween(domain, one);
    if (steps <= furthest && steps < (best?.steps ?? Number.POSITIVE_INFINITY)) best = { domain: one, steps };
  }
  return best === null ? null : `${address.slice(0, at)}@${best.domain}`;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

/** Letters added, omitted, replaced, or two neighbours swapped. */
function stepsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let steps = Math.min(
        line[column - 1]! + 1,
        rows[row - 1]![column]! + 1,
        rows[row - 1]![column - 1]! + (isSame ? 0 : 1),
      );
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwapped) steps = Math.min(steps, rows[row - 2]![column - 2]! + 1);
      line.push(steps);
    }
    rows.push(line);
  }
  return rows[one.length]![other.length]!;
}
