import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { deletePreferences, preferencesOf, savePreferences } from './preferences.ts';

describe('The preferences of a user', () => {
  const rows = useRows();
  const chosen: Among<'preferences'> = {
    table: 'preferences',
    right: { user_id: 'alice', time_zone: 'Europe/Zurich' },
    wrong: { user_id: 'bob' },
  };

  test('is theirs, and goes with them', async () => {
    await rows.finds(chosen, async (db) => (await preferencesOf(db, 'alice')).timeZone, 'Europe/Zurich');
    await rows.changes(chosen, (tx) => deletePreferences(tx, 'alice'), null);
  });

  test('takes the place of what they chose before', async () => {
    const choice = {
      timeZone: 'Asia/Tokyo',
      theme: 'dark',
      hasShortcutKeys: true,
      receipts: 'off',
      hasReminders: true,
      hasRequestNotices: true,
    } as const;
    await rows.changes({ ...chosen, wrong: {} }, (tx) => savePreferences(tx, 'alice', choice, 9), {
      time_zone: 'Asia/Tokyo',
      theme: 'dark',
      has_shortcut_keys: 1,
      receipts: 'off',
      has_reminders: 1,
      has_request_notices: 1,
      updated_at: 9,
    });
  });
});
