// Statements of administrators. The document is encrypted, because it names people.
import type { Statement, StatementKind } from '../../domain/statements.ts';
import type { Query, StatementsTable, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

const statements = defineTable<StatementsTable>()(({ plain, sealedText }) => ({
  ...plain('id', 'kind', 'state', 'about_user_id', 'made_by', 'begun_seq', 'note', 'created_at', 'finished_at'),
  documentText: sealedText('document_sealed', 'text', 'id', (id) => `statement/${id}`),
}));

export async function insertStatement(tx: Tx, statement: Statement): Promise<void> {
  await tx.insertInto('statements').values(statements.write(statement, tx.keys)).execute();
}

export async function finishStatement(
  tx: Tx,
  id: string,
  { documentText, note, now }: { documentText: string; note: string; now: number },
): Promise<void> {
  await tx
    .updateTable('statements')
    .set(statements.changes({ id, state: 'made', documentText, note, finishedAt: now }, tx.keys))
    .where('id', '=', id)
    .where('state', '=', 'open')
    .execute();
}

export async function findStatement(db: Query, id: string): Promise<Statement | null> {
  const row = await db.selectFrom('statements').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : statements.read(row, db.keys);
}

/** Unfinished ones that began before this instant, oldest first. */
export async function listOpenStatements(db: Query, begunBefore: number, limit: number): Promise<Statement[]> {
  const rows = await db
    .selectFrom('statements')
    .selectAll()
    .where('state', '=', 'open')
    .where('created_at', '<=', begunBefore)
    .orderBy('created_at')
    .limit(limit)
    .execute();
  return statements.readAll(rows, db.keys);
}

export async function findLatestStatement(db: Query, userId: string, kind: StatementKind): Promise<Statement | null> {
  const row = await db
    .selectFrom('statements')
    .selectAll()
    .where('about_user_id', '=', userId)
    .where('kind', '=', kind)
    .orderBy('created_at', 'desc')
    .orderBy('begun_seq', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : statements.read(row, db.keys);
}

/** Newest first, after `before`. */
export async function listStatements(
  db: Query,
  page: { before: { createdAt: number; id: string } | null; limit: number },
): Promise<Statement[]> {
  const { before } = page;
  const rows = await db
    .selectFrom('statements')
    .selectAll()
    .where('state', '=', 'made')
    .$if(before !== null, (query) =>
      query.where((eb) =>
        eb.or([
          eb('created_at', '<', before!.createdAt),
          eb.and([eb('created_at', '=', before!.createdAt), eb('id', '<', before!.id)]),
        ]),
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute();
  return statements.readAll(rows, db.keys);
}
