// Sizes for people. 1 MiB is 1024 KiB, as in `--chunk-size 8MiB`; the pages of the server say MB for the same.
import { humanSize } from '#contract/sizes.ts';

export function sizeText(bytes: number): string {
  // Other servers may leave a size out.
  if (!Number.isFinite(bytes) || bytes < 0) return '?';
  return humanSize(bytes).replace(/ ([KMGTP])B$/, ' $1iB');
}
