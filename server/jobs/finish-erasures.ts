// Completes erasures of people, and rewrites the database file.
import { rewriteIfDue } from '../actions/system/rewriting.ts';
import { finishErasures } from '../actions/users/erasure-requests.ts';
import type { MailTransport } from '../domain/ports.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';

/** By then, requests and mails from before the erasure are over. */
const apartMs = 60_000;
const atOnce = 200;

export function createFinishErasures(transport: MailTransport): Job {
  return {
    name: 'finish-erasures',
    everyMs: 60_000,
    async run(ctx) {
      const before = ctx.clock.now() - apartMs;
      let finished = 0;
      for (;;) {
        const count = await finishErasures(ctx, { before, limit: atOnce }, async (words) => transport.forget?.(words));
        finished += count;
        if (count === atOnce) continue;
        await rewriteIfDue(ctx, { isNew: finished > 0 });
        return `${counted(finished, 'erasure')} finished`;
      }
    },
  };
}
