// Queries on what files contain.
import type { Findings } from '../../domain/content-rules.ts';
import type { Query, Tx } from '../schema/schema.ts';

export async function saveFindings(tx: Tx, attachmentId: string, findings: Findings, now: number): Promise<void> {
  const values = { findings: JSON.stringify(findings), inspected_at: now };
  await tx
    .insertInto('file_contents')
    .values({ attachment_id: attachmentId, ...values })
    .onConflict((conflict) => conflict.column('attachment_id').doUpdateSet(values))
    .execute();
}

/** Leaves out files that were not inspected. */
export async function findFindings(db: Query, attachmentIds: readonly string[]): Promise<Map<string, Findings>> {
  if (attachmentIds.length === 0) return new Map();
  const rows = await db.selectFrom('file_contents').selectAll().where('attachment_id', 'in', attachmentIds).execute();
  return new Map(rows.map((row) => [row.attachment_id, JSON.parse(row.findings) as Findings]));
}

/** Of the files of messages and links, by their ids. */
export async function findFindingsOfSends(db: Query, ids: readonly string[]): Promise<Map<string, Findings[]>> {
  if (ids.length === 0) return new Map();
  const ofMessages = await db
    .selectFrom('message_attachments')
    .innerJoin('file_contents', 'file_contents.attachment_id', 'message_attachments.attachment_id')
    .select(['message_attachments.message_id as id', 'file_contents.findings'])
    .where('message_attachments.message_id', 'in', ids)
    .execute();
  const ofLinks = await db
    .selectFrom('file_links')
    .innerJoin('file_contents', 'file_contents.attachment_id', 'file_links.attachment_id')
    .select(['file_links.id', 'file_contents.findings'])
    .where('file_links.id', 'in', ids)
    .execute();
  const found = new Map<string, Findings[]>();
  for (const { id, findings } of [...ofMessages, ...ofLinks])
    found.set(id, [...(found.get(id) ?? []), JSON.parse(findings) as Findings]);
  return found;
}

export async function deleteOldFindings(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('file_contents').where('inspected_at', '<', before).execute();
}
