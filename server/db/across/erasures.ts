// Queries on erasures in progress.
import type { Erasure } from '../../domain/erasures.ts';
import type { Query, Tx } from '../schema/schema.ts';

type Sealed = Pick<Erasure, 'userId' | 'name' | 'addresses' | 'substitutes'>;

const placeOf = (id: string) => `erasure/${id}`;

export async function insertErasure(tx: Tx, erasure: Erasure): Promise<void> {
  const { id, userId, name, addresses, substitutes, sweptSeq, createdAt } = erasure;
  const person: Sealed = { userId, name, addresses, substitutes };
  await tx
    .insertInto('erasures')
    .values({
      id,
      person_sealed: tx.keys.sealText('text', JSON.stringify(person), placeOf(id)),
      swept_seq: sweptSeq,
      created_at: createdAt,
    })
    .execute();
}

export async function listErasures(db: Query, before: number, limit: number): Promise<Erasure[]> {
  const query = db.selectFrom('erasures').selectAll().where('created_at', '<=', before);
  const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute();
  return rows.map((row) => ({
    ...(JSON.parse(db.keys.openText('text', row.person_sealed, placeOf(row.id))) as Sealed),
    id: row.id,
    sweptSeq: Number(row.swept_seq),
    createdAt: Number(row.created_at),
  }));
}

export async function noteSwept(tx: Tx, id: string, seq: number): Promise<void> {
  await tx.updateTable('erasures').set({ swept_seq: seq }).where('id', '=', id).execute();
}

export async function deleteErasure(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('erasures').where('id', '=', id).execute();
}
