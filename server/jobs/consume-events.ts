// One job for each consumer of events.
import { eventConsumers } from '../actions/event-consumers.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';

export const consumeEvents: readonly Job[] = eventConsumers.map(
  ({ name, everyMs, done, isHarmless, hasOwnLeases, consume }) => ({
    name,
    everyMs,
    ...(isHarmless ? { isHarmless } : {}),
    ...(hasOwnLeases ? { hasOwnLeases } : {}),
    run: async (ctx) => `${counted(await consume(ctx), 'event')} ${done}`,
  }),
);
