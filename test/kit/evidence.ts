// The evidence log in tests: many events, and changes by an attacker with full rights on the machine.
import { sql } from 'kysely';
import type { Ctx } from '#server/actions/context.ts';
import { record } from '#server/actions/events.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { findLogHead } from '#server/db/evidence/evidence.ts';
import { systemCaller } from '#server/domain/caller.ts';
import type { NamedFile } from '#server/domain/ports.ts';
import { partialTiles, tilePath } from '#server/lib/tlog/tiles.ts';

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

/** Writes an event in a transaction that stays open until `commit`, which returns the number of the event. */
export async function appendLate(ctx: Ctx): Promise<{ commit(): Promise<number> }> {
  const mayCommit = Promise.withResolvers<void>();
  const isWritten = Promise.withResolvers<void>();
  const done = ctx.db.write(async (tx) => {
    await record(ctx, tx, systemCaller, {
      action: 'message.reminded',
      object: { kind: 'message', id: 'late' },
      ownerId: 'somebody',
      facts: { recipient: 'late@example.com' },
    });
    isWritten.resolve();
    await mayCommit.promise;
  });
  await Promise.race([isWritten.promise, done]);
  return {
    async commit() {
      mayCommit.resolve();
      await done;
      const late = ctx.db.read.selectFrom('events').select('seq').where('object_id', '=', 'late');
      return Number((await late.executeTakeFirstOrThrow()).seq);
    },
  };
}

/** An attacker who can write to the database can also drop its triggers. */
export async function removeGuards(ctx: Ctx): Promise<void> {
  if (ctx.db.dialect === 'postgres') await raw(ctx, 'alter table events disable trigger all');
  else for (const name of ['events_no_update', 'events_no_delete']) await raw(ctx, `drop trigger if exists ${name}`);
}

export async function raw(ctx: Ctx, statement: string): Promise<void> {
  await ctx.db.write((tx) => sql.raw(statement).execute(tx));
}

/** A copy of the log in the database; `restore` discards later events. */
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
        if (db.dialect === 'sqlite')
          await sql`update sqlite_sequence set seq = ${head.last_seq} where name = 'events'`.execute(tx);
      });
    },
  };
}

export async function copyOfEverything(ctx: Ctx): Promise<{ restore(): Promise<void> }> {
  const database = await copyOfDatabase(ctx);
  const { size } = (await findLogHead(ctx.db.read))!;
  const files: NamedFile[] = [];
  for (const path of ['checkpoint', ...partialTiles(size).map(tilePath)])
    files.push({ path, bytes: (await ctx.evidence.get(path))! });
  return {
    async restore() {
      await database.restore();
      await ctx.evidence.put(files);
    },
  };
}

/** Seals all events again with the same key, as an attacker with full rights could. */
export async function sealAgain(ctx: Ctx): Promise<void> {
  await ctx.db.write(async (tx) => {
    const beginning = { size: 0, last_seq: 0, edge: Buffer.alloc(0), note: '' };
    await tx.updateTable('evidence_log').set(beginning).execute();
    await tx.deleteFrom('evidence_checkpoints').execute();
  });
  await ctx.evidence.remove(['checkpoint']);
  await sealAll(ctx);
}
