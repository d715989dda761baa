// The encodings built files are compressed with beforehand, best first. Shared by the build and whoever loads its output.

export type Encoding = 'br' | 'gzip';

export const encodings: readonly Encoding[] = ['br', 'gzip'];

/** What the name of a compressed file ends with. */
export const suffixes: Record<Encoding, string> = { br: '.br', gzip: '.gz' };

/** Fonts and pictures other than SVG are compressed already. */
export function isWorthCompressing(name: string): boolean {
  return /\.(js|css|svg|json)$/.test(name);
}
