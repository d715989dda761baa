// Consumers that handle every event once, in order. Each has its own position and job, so that a failure affects no other.
// Open pages follow events in each process (live/news.ts); timelines and lists query them.
import type { Ctx } from './context.ts';
import { deliverWebhooks } from './event-receivers/deliver-webhooks.ts';
import { writeEventsFile, writeSyslog } from './event-receivers/streams.ts';
import { sealAll } from './evidence/seal.ts';

export interface EventConsumer {
  /** Of the job. */
  name: string;
  everyMs: number;
  /** Completes the note of a run: "3 events sealed". */
  done: string;
  /** False if it sends anything, so that it does not run in a restored copy. */
  isHarmless: boolean;
  /** Its parts have leases of their own. */
  hasOwnLeases?: true;
  /** Handles new events, then advances the position; returns their number. */
  consume(ctx: Ctx): Promise<number>;
}

export const eventConsumers: readonly EventConsumer[] = [
  { name: 'seal-events', everyMs: 15_000, done: 'sealed', isHarmless: true, consume: sealAll },
  {
    name: 'deliver-webhooks',
    everyMs: 1000,
    done: 'delivered',
    isHarmless: false,
    hasOwnLeases: true,
    consume: deliverWebhooks,
  },
  { name: 'write-syslog', everyMs: 1000, done: 'sent', isHarmless: false, consume: writeSyslog },
  { name: 'write-events-file', everyMs: 1000, done: 'written', isHarmless: false, consume: writeEventsFile },
];
