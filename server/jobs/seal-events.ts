// Seals events into the log of evidence, so that everything that happened can be proven (docs/evidence.md).
import { sealAll } from '../actions/evidence/seal.ts';
import type { Job } from './job.ts';

export const sealEvents: Job = {
  name: 'seal-events',
  everyMs: 15_000,
  isHarmless: true,
  async run(ctx) {
    return `${await sealAll(ctx)} events sealed`;
  },
};
