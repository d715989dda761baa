// Events of a sent message, newest first.
import { listEventsOf } from '../../db/events/events.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { type ActivityAction, type ActivityKind, activityActions, activityOf } from '../../domain/events.ts';
import type { Ctx } from '../context.ts';
import { getSentHead } from './tracker.ts';

export interface ActivityLine {
  seq: number;
  at: number;
  action: ActivityAction;
  kind: ActivityKind;
  actor: 'you' | 'person' | 'administrator' | 'system';
  address: string;
  facts: Record<string, unknown>;
  ip: string;
}

async function listActivity(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  page: { kind: ActivityKind | null; beforeSeq: number | null; size: number },
): Promise<ActivityLine[]> {
  await getSentHead(ctx.db.read, caller, id);
  const actions = activityActions(page.kind);
  const object = { kind: 'message', id };
  const events = await listEventsOf(ctx.db.read, object, actions, page);
  return events.map((event) => {
    const { facts } = event;
    const address = typeof facts.recipient === 'string' ? facts.recipient : '';
    return {
      seq: event.seq,
      at: event.at,
      action: event.action as ActivityAction,
      kind: activityOf(event.action) ?? 'change',
      actor: actorOf(caller, event),
      address,
      // The message shows the exposure separately.
      facts: event.action === 'message.wrong_recipient' ? { recipient: address } : facts,
      ip: event.remoteIp,
    };
  });
}

const exportBatchSize = 500;

/** `next` continues the list; null at the end. */
export async function listActivityPage(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  page: { kind: ActivityKind | null; beforeSeq: number | null; size: number },
): Promise<{ events: ActivityLine[]; next: string | null }> {
  const { size } = page;
  const lines = await listActivity(ctx, caller, id, { ...page, size: size + 1 });
  return { events: lines.slice(0, size), next: lines.length > size ? String(lines[size - 1]!.seq) : null };
}

/** The first page decides between response and refusal. */
export async function* readActivity(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  kind: ActivityKind | null,
): AsyncGenerator<ActivityLine[]> {
  let beforeSeq: number | null = null;
  for (;;) {
    const lines: ActivityLine[] = await listActivity(ctx, caller, id, { kind, beforeSeq, size: exportBatchSize });
    yield lines;
    if (lines.length < exportBatchSize) return;
    beforeSeq = lines.at(-1)!.seq;
  }
}

function actorOf(caller: UserCaller, event: { actorKind: string; actorId: string }): ActivityLine['actor'] {
  if (event.actorKind === 'system') return 'system';
  if (event.actorKind !== 'user') return 'person';
  return event.actorId === caller.userId ? 'you' : 'administrator';
}
