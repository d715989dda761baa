// Appends what happened to the event list, in the transaction of its cause (architecture invariant 6).
import { appendEvent } from '../db/events.ts';
import type { Tx } from '../db/schema.ts';
import type { Caller } from '../domain/caller.ts';
import type { Ctx } from './context.ts';

export interface Happening {
  /** `noun.verb_in_the_past`. */
  action: string;
  object: { kind: string; id: string };
  /** Whose timeline it belongs to. */
  ownerId: string;
  facts?: Record<string, unknown>;
}

export async function record(ctx: Ctx, tx: Tx, caller: Caller, happening: Happening): Promise<void> {
  await appendEvent(tx, {
    at: ctx.clock.now(),
    action: happening.action,
    actorKind: caller.kind,
    actorId: caller.kind === 'user' ? caller.userId : '',
    objectKind: happening.object.kind,
    objectId: happening.object.id,
    ownerId: happening.ownerId,
    facts: happening.facts ?? {},
    remoteIp: caller.from.address,
    requestId: caller.from.requestId,
  });
}
