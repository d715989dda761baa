// Consumers that handle every event once. Each reads in order from a position of its own and runs as a job of its own, so
// one that fails neither loses nor repeats events for the others. Open pages follow events by number in each process
// (live/news.ts); timelines and lists read them when asked.
import type { Ctx } from './context.ts';
import { sealAll } from './evidence/seal.ts';

export interface EventConsumer {
  /** Of its job. */
  name: string;
  everyMs: number;
  /** For the note of a run: "3 events sealed". */
  done: string;
  /** False if it sends anything: such a job does not run in a restored copy. */
  isHarmless: boolean;
  /** Handles the events after its position, then moves the position; returns how many. */
  consume(ctx: Ctx): Promise<number>;
}

export const eventConsumers: readonly EventConsumer[] = [
  { name: 'seal-events', everyMs: 15_000, done: 'sealed', isHarmless: true, consume: sealAll },
];
