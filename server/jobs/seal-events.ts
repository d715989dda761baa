// Seals events into the evidence log (docs/evidence.md).
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
