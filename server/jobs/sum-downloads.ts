// Sums completed days of the download log, so that its statistics stay fast.
import { sumDays } from '../actions/downloads/day-sums.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';

/** The next runs continue. */
const atMost = 400;

export const sumDownloads: Job = {
  name: 'sum-downloads',
  everyMs: 10 * 60_000,
  isHarmless: true,
  run: async (ctx) => `${counted(await sumDays(ctx, atMost), 'day')} of the download log summed`,
};
