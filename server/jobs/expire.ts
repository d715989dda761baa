// Starts the grace time of files of expired links and messages; access ended at the expiry.

import { record } from '../actions/events.ts';
import { endLink } from '../actions/file-links/file-links.ts';
import { endMessageFiles } from '../actions/messages/ending.ts';
import { listExpiredFileLinks } from '../db/file-links/file-links.ts';
import { listExpiredMessages } from '../db/messages/messages.ts';
import { systemCaller } from '../domain/caller.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';

const batchSize = 500;

export const expire: Job = {
  name: 'expire',
  everyMs: 60_000,
  async run(ctx) {
    const links = await listExpiredFileLinks(ctx.db.read, ctx.clock.now(), batchSize);
    for (const link of links) {
      await ctx.db.write(async (tx) => {
        if (!(await endLink(ctx, tx, systemCaller, { id: link.id, to: 'released' }))) return;
        await record(ctx, tx, systemCaller, {
          action: 'link.expired',
          object: { kind: 'link', id: link.id },
          ownerId: link.ownerId,
        });
      });
    }
    const messages = await listExpiredMessages(ctx.db.read, ctx.clock.now(), batchSize);
    for (const message of messages) {
      await ctx.db.write(async (tx) => {
        const ending = { id: message.id, to: 'released', erases: false } as const;
        if (!(await endMessageFiles(ctx, tx, systemCaller, ending))) return;
        await record(ctx, tx, systemCaller, {
          action: 'message.expired',
          object: { kind: 'message', id: message.id },
          ownerId: message.ownerId,
        });
      });
    }
    return `${counted(links.length, 'link')} and ${counted(messages.length, 'message')} expired`;
  },
};
