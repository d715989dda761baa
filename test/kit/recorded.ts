// The events of the audit log, read from the rows.
import assert from 'node:assert/strict';
import { recordedEventOf } from '#server/db/events/events.ts';
import { typedReference } from '#server/lib/references.ts';
import type { TestApp } from './app.ts';

export interface LeftEvent {
  action: string;
  /** Ids of people; empty for none. */
  actor: string;
  object: string;
  owner: string;
  facts: Record<string, unknown>;
}

export async function eventsLeftBy({ app }: Pick<TestApp, 'app'>, work: () => Promise<unknown>): Promise<LeftEvent[]> {
  const { read } = app.ctx.db;
  const last = await read.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1).executeTakeFirst();
  await work();
  const rows = await read
    .selectFrom('events')
    .selectAll()
    .where('seq', '>', last?.seq ?? 0)
    .orderBy('seq')
    .execute();
  return rows
    .map((row) => recordedEventOf(read.keys, row))
    .map(({ action, actorId, objectKind, objectId, ownerId, facts }) => ({
      action,
      actor: actorId,
      object: `${objectKind} ${objectId}`,
      owner: ownerId,
      facts: withoutReference(objectKind, facts),
    }));
}

/** Each event about a transfer has its random reference, which is checked and left out here. */
function withoutReference(kind: string, { reference, ...facts }: Record<string, unknown>): Record<string, unknown> {
  const isOfTransfer = ['message', 'link', 'request'].includes(kind);
  assert.equal(typedReference(String(reference ?? '')) === reference && reference !== undefined, isOfTransfer, kind);
  return facts;
}
