// Has witnesses cosign the event log.
import { askWitnesses } from '../actions/evidence/ask-witnesses.ts';
import type { Job } from './job.ts';

export const cosignLog: Job = {
  name: 'cosign-log',
  everyMs: 60_000,
  run: async (ctx) => `${await askWitnesses(ctx)} cosignatures received`,
};
