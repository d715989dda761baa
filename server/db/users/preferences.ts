// Queries on what people chose for themselves.
import { defaultPreferences, type Preferences } from '../../domain/preferences.ts';
import type { Query, Tx } from '../schema/schema.ts';

/** What a person chose, or the defaults. E-mails that may be switched off ask here. */
export async function preferencesOf(db: Query, userId: string): Promise<Preferences> {
  const row = await db.selectFrom('preferences').selectAll().where('user_id', '=', userId).executeTakeFirst();
  if (row === undefined) return defaultPreferences;
  return {
    timeZone: row.time_zone,
    theme: row.theme,
    hasShortcutKeys: row.has_shortcut_keys === 1,
    receipts: row.receipts,
    hasReminders: row.has_reminders === 1,
    hasRequestNotices: row.has_request_notices === 1,
  };
}

export async function savePreferences(tx: Tx, userId: string, preferences: Preferences, now: number): Promise<void> {
  const columns = {
    time_zone: preferences.timeZone,
    theme: preferences.theme,
    has_shortcut_keys: preferences.hasShortcutKeys ? 1 : 0,
    receipts: preferences.receipts,
    has_reminders: preferences.hasReminders ? 1 : 0,
    has_request_notices: preferences.hasRequestNotices ? 1 : 0,
    updated_at: now,
  } as const;
  await tx
    .insertInto('preferences')
    .values({ user_id: userId, ...columns })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns))
    .execute();
}

export async function deletePreferences(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('preferences').where('user_id', '=', userId).execute();
}
