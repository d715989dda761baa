// Statements that administrators made. The document is sealed: it names people.
import type { Statement, StatementKind } from '../../domain/statements.ts';
import type { Query, StatementsTable, Tx } from '../schema/schema.ts';

function statementOf(db: Query, row: StatementsTable): Statement {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    aboutUserId: row.about_user_id,
    madeBy: row.made_by,
    begunSeq: Number(row.begun_seq),
    documentText: db.keys.openText('text', row.document_sealed, placeOf(row.id)),
    note: row.note,
    createdAt: Number(row.created_at),
    finishedAt: row.finished_at === null ? null : Number(row.finished_at),
  };
}

const placeOf = (id: string) => `statement/${id}`;

export async function insertStatement(tx: Tx, statement: Statement): Promise<void> {
  await tx
    .insertInto('statements')
    .values({
      id: statement.id,
      kind: statement.kind,
      state: statement.state,
      about_user_id: statement.aboutUserId,
      made_by: statement.madeBy,
      begun_seq: statement.begunSeq,
      document_sealed: tx.keys.sealText('text', statement.documentText, placeOf(statement.id)),
      note: statement.note,
      created_at: statement.createdAt,
      finished_at: statement.finishedAt,
    })
    .execute();
}

export async function finishStatement(
  tx: Tx,
  id: string,
  { documentText, note, now }: { documentText: string; note: string; now: number },
): Promise<void> {
  await tx
    .updateTable('statements')
    .set({
      state: 'made',
      document_sealed: tx.keys.sealText('text', documentText, placeOf(id)),
      note,
      finished_at: now,
    })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .execute();
}

export async function findStatement(db: Query, id: string): Promise<Statement | null> {
  const row = await db.selectFrom('statements').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : statementOf(db, row);
}

/** Those that were begun before this instant and are not made yet, oldest first. */
export async function listOpenStatements(db: Query, begunBefore: number, limit: number): Promise<Statement[]> {
  const rows = await db
    .selectFrom('statements')
    .selectAll()
    .where('state', '=', 'open')
    .where('created_at', '<=', begunBefore)
    .orderBy('created_at')
    .limit(limit)
    .execute();
  return rows.map((row) => statementOf(db, row));
}

/** The newest one of a kind about a person. */
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
  return row === undefined ? null : statementOf(db, row);
}

/** Newest first, from behind `before` on. */
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
  return rows.map((row) => statementOf(db, row));
}
