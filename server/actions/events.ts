// Appends an event in the transaction of the change.
import { appendEvent, saltBytesOf } from '../db/events/events.ts';
import type { Tx } from '../db/schema/schema.ts';
import type { Caller } from '../domain/caller.ts';
import type { Happening } from '../domain/events.ts';
import type { Ctx } from './context.ts';

export async function record(ctx: Ctx, tx: Tx, caller: Caller, happening: Happening): Promise<void> {
  // The operator on the command line has no account.
  const isOperator = caller.kind === 'user' && caller.userId === '';
  const event = {
    at: ctx.clock.now(),
    action: happening.action,
    actorKind: isOperator ? 'system' : caller.kind,
    actorId: caller.kind === 'user' ? caller.userId : '',
    objectKind: happening.object.kind,
    objectId: happening.object.id,
    ownerId: happening.ownerId,
    facts: happening.facts ?? {},
    remoteIp: caller.from.address,
    requestId: caller.from.requestId,
  };
  await appendEvent(tx, event, ctx.random.bytes(saltBytesOf(event.action)));
}
