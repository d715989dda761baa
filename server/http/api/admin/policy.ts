// Policy explained, for administrators' scripts.
import { explainMessage, whichGroup } from '../../../actions/policy/explain.ts';
import { type Replay, replayGroup } from '../../../actions/policy/replay.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';
import { dryRunBody, ruleBody } from '../dry-runs.ts';
import { plannedFilesOf, wishesOf } from '../message-input.ts';
import { settingsIn } from './groups.ts';

export function servePolicy(serve: Serve): void {
  serve('explainPolicy', async ({ ctx, caller, body }) => {
    const { user, message } = body.explain;
    const planned = { ...wishesOf(message), files: plannedFilesOf(message.attachments ?? []) };
    return dryRunBody(await explainMessage(ctx, caller, user, planned));
  });

  serve('replayGroup', async ({ ctx, caller, params, body }) => {
    const { group = {}, days = 30 } = body.replay;
    const { sends, refused, changed, isComplete } = await replayGroup(ctx, caller, params.id!, {
      changes: settingsIn(withoutIdentity(group)),
      days,
    });
    return {
      replay: {
        sends,
        refused: refused.map(({ send, rules }) => ({ ...sendBody(send), rules: rules.map(ruleBody) })),
        changed: changed.map(({ send, values }) => ({ ...sendBody(send), values })),
        complete: isComplete,
      },
    };
  });

  serve('whichGroup', async ({ ctx, caller, query }) => ({ which: await whichGroup(ctx, caller, query.email ?? '') }));
}

function sendBody({ id, facts, sentAt, user }: Replay['refused'][number]['send']) {
  return { id, kind: facts.kind, sent_at: isoInstant(sentAt), user };
}

/** A script may send the whole group; who is in it and what it is called decides about no send. */
function withoutIdentity(group: Record<string, unknown>): Record<string, unknown> {
  const { name: _, is_local: __, role: ___, is_sysadmin: ____, is_admin: _____, ...settings } = group;
  return settings;
}
