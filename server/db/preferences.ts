// Queries on what people chose for themselves.
import type { PreferencesTable, Query, Tx } from './schema.ts';

export function findPreferences(db: Query, userId: string) {
  return db.selectFrom('preferences').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

export async function savePreferences(tx: Tx, row: PreferencesTable): Promise<void> {
  const { user_id: _, ...changes } = row;
  await tx
    .insertInto('preferences')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(changes))
    .execute();
}

export async function deletePreferences(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('preferences').where('user_id', '=', userId).execute();
}
