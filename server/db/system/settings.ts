// The settings that administrators change at run time: one row, one document. Read before the keys are known.
import type { Kysely, Transaction } from 'kysely';
import { defaultSettings, type Settings } from '../../domain/settings.ts';
import type { Tables } from '../schema/schema.ts';

/** The version shows whether the settings have changed since they were last read. */
export async function findSettings(db: Kysely<Tables>): Promise<{ settings: Settings; version: number } | undefined> {
  const row = await db.selectFrom('settings').select(['document', 'version']).where('id', '=', 1).executeTakeFirst();
  return row === undefined ? undefined : { settings: settingsOf(row.document), version: row.version };
}

/** Reads the settings and locks them until this transaction ends. */
export async function lockSettings(tx: Transaction<Tables>, now: number): Promise<Settings> {
  const row = await tx
    .insertInto('settings')
    .values({ id: 1, document: '{}', version: 1, updated_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ version: (eb) => eb.ref('settings.version') }))
    .returning('document')
    .executeTakeFirstOrThrow();
  return settingsOf(row.document);
}

/** Settings that an older document lacks get their default. */
function settingsOf(document: string): Settings {
  return { ...defaultSettings, ...(JSON.parse(document) as Partial<Settings>) };
}

export async function saveSettings(tx: Transaction<Tables>, settings: Settings, now: number): Promise<void> {
  const document = JSON.stringify(settings);
  await tx
    .insertInto('settings')
    .values({ id: 1, document, version: 1, updated_at: now })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ document, version: (eb) => eb('settings.version', '+', 1), updated_at: now }),
    )
    .execute();
}
