// The log of evidence in tests: events by the hundred, and what somebody with full rights on the machine could do.
import { sql } from 'kysely';
import type { Ctx } from '#server/actions/context.ts';
import { record } from '#server/actions/events.ts';
import { systemCaller } from '#server/domain/caller.ts';

/** Appends events as actions do. */
export async function appendEvents(ctx: Ctx, count: number): Promise<void> {
  await ctx.db.write(async (tx) => {
    for (let number = 0; number < count; number++)
      await record(ctx, tx, systemCaller, {
        action: 'message.reminded',
        object: { kind: 'message', id: `message-${number}` },
        ownerId: 'somebody',
        facts: { recipient: `person-${number}@example.com` },
      });
  });
}

/** Whoever can write to the database can also remove what guards it. */
export async function removeGuards(ctx: Ctx): Promise<void> {
  if (ctx.db.dialect === 'postgres') await raw(ctx, 'alter table events disable trigger all');
  else for (const name of ['events_no_update', 'events_no_delete']) await raw(ctx, `drop trigger if exists ${name}`);
}

export async function raw(ctx: Ctx, statement: string): Promise<void> {
  await ctx.db.write((tx) => sql.raw(statement).execute(tx));
}

/** Everything that a copy of the database would hold of the log; `restore` puts it back and forgets what came later. */
export async function copyOfDatabase(ctx: Ctx): Promise<{ restore(): Promise<void> }> {
  const { db } = ctx;
  const head = await db.read.selectFrom('evidence_log').selectAll().executeTakeFirstOrThrow();
  return {
    async restore() {
      const { id, ...values } = head;
      await db.write(async (tx) => {
        await tx.updateTable('evidence_log').set(values).where('id', '=', id).execute();
        await tx.deleteFrom('evidence_checkpoints').where('size', '>', head.size).execute();
        await tx.deleteFrom('events').where('seq', '>', head.last_seq).execute();
      });
    },
  };
}
