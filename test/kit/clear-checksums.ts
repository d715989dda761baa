// Stores checksums unencrypted, as earlier versions did.
import { sql } from 'kysely';
import type { Ctx } from '#server/actions/context.ts';
import { findAttachment } from '#server/db/attachments/attachments.ts';
import { openFacts } from '#server/db/events/event-facts.ts';
import type { Tx } from '#server/db/schema/schema.ts';
import { listParts } from '#server/db/uploads/parts.ts';

/** Call it before the events of the file are sealed in the log. */
export async function storeInClear({ db }: Ctx, attachmentId: string): Promise<void> {
  await db.write(async (tx) => {
    const { sha256, crc32 } = (await findAttachment(tx, attachmentId))!;
    const update = { sha256, crc32, checksums_sealed: null };
    await tx.updateTable('attachments').set(update).where('id', '=', attachmentId).execute();
    for (const { number, ...part } of await listParts(tx, attachmentId))
      await tx
        .updateTable('parts')
        .set({ sha256: part.sha256, crc32: part.crc32, checksums_sealed: null })
        .where('upload_id', '=', attachmentId)
        .where('number', '=', number)
        .execute();
    const events = await tx.selectFrom('events').selectAll().where('object_id', '=', attachmentId).execute();
    await withoutTriggers(tx, db.dialect, async () => {
      for (const event of events) {
        const facts = JSON.stringify(openFacts(tx.keys, event).facts);
        await tx.updateTable('events').set({ facts }).where('seq', '=', event.seq).execute();
      }
    });
    await tx
      .insertInto('meta')
      .values({ key: 'checksums_in_clear', value: '' })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** The triggers of `events` forbid this change. */
async function withoutTriggers(tx: Tx, dialect: string, change: () => Promise<void>): Promise<void> {
  if (dialect === 'postgres') {
    await sql`alter table events disable trigger events_append_only`.execute(tx);
    await change();
    await sql`alter table events enable trigger events_append_only`.execute(tx);
    return;
  }
  const { rows } = await sql<{ sql: string }>`select sql from sqlite_schema where name = 'events_no_update'`.execute(
    tx,
  );
  await sql`drop trigger events_no_update`.execute(tx);
  await change();
  await sql.raw(rows[0]!.sql).execute(tx);
}
