// Creates public references of older transfers, in batches.
import { nameOldTransfers } from '../actions/transfers/references.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';

const mostBatches = 200;

export const nameTransfers: Job = {
  name: 'name-transfers',
  everyMs: 60_000,
  isHarmless: true,
  run: async (ctx) => `references given to ${counted(await nameOldTransfers(ctx, mostBatches), 'transfer')}`,
};
