// Queues notices about messages that expire soon and are not downloaded.
import { queueExpiryNotice } from '../actions/messages/expiry-notices.ts';
import { listEndingMessages } from '../db/messages/messages.ts';
import { endingMs } from '../domain/tracking.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';

const batchSize = 200;

export const notifyExpiringSoon: Job = {
  name: 'tell-expiring',
  everyMs: 5 * 60_000,
  async run(ctx) {
    const now = ctx.clock.now();
    const ending = await listEndingMessages(ctx.db.read, { now, until: now + endingMs }, batchSize);
    let notified = 0;
    for (const id of ending) if (await queueExpiryNotice(ctx, id)) notified += 1;
    return `${counted(notified, 'sender')} notified, ${counted(ending.length, 'message')} checked`;
  },
};
