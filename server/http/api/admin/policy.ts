// Policy explained, for administrators' scripts.
import { explainMessage, whichGroup } from '../../../actions/policy/explain.ts';
import type { Serve } from '../../endpoint.ts';
import { dryRunBody } from '../dry-runs.ts';
import { plannedFilesOf, wishesOf } from '../message-input.ts';

export function servePolicy(serve: Serve): void {
  serve('explainPolicy', async ({ ctx, caller, body }) => {
    const { user, message } = body.explain;
    const planned = { ...wishesOf(message), files: plannedFilesOf(message.attachments ?? []) };
    return dryRunBody(await explainMessage(ctx, caller, user, planned));
  });

  serve('whichGroup', async ({ ctx, caller, query }) => ({ which: await whichGroup(ctx, caller, query.email ?? '') }));
}
