// What is left of a deleted person beside their account: texts they wrote, and mails that wait. Used when somebody asks to be
// erased; deleting an account alone leaves these.
import type { Query, Tx } from './schema.ts';

export async function countWrittenBy(db: Query, userId: string): Promise<{ requests: number }> {
  const row = await db
    .selectFrom('file_requests')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', userId)
    .executeTakeFirstOrThrow();
  return { requests: Number(row.count) };
}

/** Subjects and texts of their messages and requests become empty; requests end. */
export async function blankTextsOf(tx: Tx, userId: string, now: number): Promise<void> {
  const messages = await tx.selectFrom('messages').select('id').where('owner_id', '=', userId).execute();
  for (const { id } of messages)
    await tx
      .updateTable('messages')
      .set({ ...emptyTexts(tx, id), html_sealed: null, sender: '', sender_name: '', updated_at: now })
      .where('id', '=', id)
      .execute();
  const requests = await tx.selectFrom('file_requests').select('id').where('owner_id', '=', userId).execute();
  for (const { id } of requests)
    await tx
      .updateTable('file_requests')
      .set({ ...emptyTexts(tx, id), state: 'closed', updated_at: now })
      .where('id', '=', id)
      .execute();
}

function emptyTexts(tx: Tx, id: string) {
  return {
    subject_sealed: tx.keys.sealText('text', '', `${id}/subject`),
    body_sealed: tx.keys.sealText('text', '', `${id}/body`),
  };
}

/** Mails by them, and to them, that nobody has taken yet. */
export async function dropMailsOf(
  tx: Tx,
  { userId, addresses }: { userId: string; addresses: string[] },
  now: number,
): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', finished_at: now })
    .where('state', '=', 'pending')
    .where((eb) => eb.or([eb('owner_id', '=', userId), eb('recipient', 'in', addresses)]))
    .execute();
}
