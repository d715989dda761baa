import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { defaultSettings } from '../../domain/settings.ts';
import { findSettings, lockSettings, saveSettings } from './settings.ts';

describe('The settings', () => {
  const rows = useRows();
  const settings: Among<'settings'> = {
    table: 'settings',
    right: { id: 1, document: '{}', version: 3 },
    wrong: { id: 2 },
  };

  test('are one row', async () => {
    await rows.finds(settings, async (db) => (await findSettings(db))?.version, 3);
  });

  test('are held as they are, and saved as a newer version', async () => {
    const only = { ...settings, wrong: {} };
    await rows.changes(only, (tx) => lockSettings(tx, 9), {});
    const document = JSON.stringify(defaultSettings);
    const becomes = { document, version: 4, updated_at: 9 };
    await rows.changes(only, (tx) => saveSettings(tx, defaultSettings, 9), becomes);
  });
});
