// Consumers that handle every event once, in order. Each has its own position and job, so that a failure affects no other.
// Open pages follow events in each process (live/news.ts); timelines and lists query them.
import type { Ctx } from './context.ts';
import { sealAll } from './evidence/seal.ts';

export interface EventConsumer {
  /** Of the job. */
  name: string;
  everyMs: number;
  /** Completes the note of a run: "3 events sealed". */
  done: string;
  /** False if it sends anything, so that it does not run in a restored copy. */
  isHarmless: boolean;
  /** Handles new events, then advances the position; returns their number. */
  consume(ctx: Ctx): Promise<number>;
}

export const eventConsumers: readonly EventConsumer[] = [
  { name: 'seal-events', everyMs: 15_000, done: 'sealed', isHarmless: true, consume: sealAll },
];
