// Queries on preferences of users.
import { defaultPreferences, type Preferences } from '../../domain/preferences.ts';
import type { PreferencesTable, Query, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

const preferences = defineTable<PreferencesTable>()(({ plain, flags }) => ({
  ...plain('time_zone', 'theme', 'receipts'),
  ...flags('has_shortcut_keys', 'has_reminders', 'has_request_notices'),
}));

/** The defaults if the user chose nothing. */
export async function preferencesOf(db: Query, userId: string): Promise<Preferences> {
  const row = await db.selectFrom('preferences').selectAll().where('user_id', '=', userId).executeTakeFirst();
  return row === undefined ? defaultPreferences : preferences.read(row);
}

export async function savePreferences(tx: Tx, userId: string, chosen: Preferences, now: number): Promise<void> {
  const columns = { ...preferences.write(chosen), updated_at: now };
  await tx
    .insertInto('preferences')
    .values({ user_id: userId, ...columns })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns))
    .execute();
}

export async function deletePreferences(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('preferences').where('user_id', '=', userId).execute();
}
