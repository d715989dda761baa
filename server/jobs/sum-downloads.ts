// Sums the days of the download log that no longer change, so that its statistics are fast for any length.
import { sumDays } from '../actions/downloads/day-sums.ts';
import type { Job } from './job.ts';

/** A year after an upgrade; the years before it in the next runs. */
const atMost = 400;

export const sumDownloads: Job = {
  name: 'sum-downloads',
  everyMs: 10 * 60_000,
  isHarmless: true,
  run: async (ctx) => `${await sumDays(ctx, atMost)} days of the download log summed`,
};
