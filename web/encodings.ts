// Best first.

export type Encoding = 'br' | 'gzip';

export const encodings: readonly Encoding[] = ['br', 'gzip'];

export const suffixes: Record<Encoding, string> = { br: '.br', gzip: '.gz' };

/** Fonts and pictures other than SVG are compressed already. */
export function isWorthCompressing(name: string): boolean {
  return /\.(js|css|svg|json)$/.test(name);
}
