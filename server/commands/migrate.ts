// `waybill-server migrate [--check]`: migrates the tables without serving; `--check` only lists pending migrations.
import { readConfig, takeSecrets } from '../config.ts';
import { findMissingMigrations } from '../db/open.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import { updateTables, withDatabase } from '../installation/open.ts';
import { counted } from '../lib/counted.ts';

export async function migrate(args: string[]): Promise<number> {
  const isCheck = args[0] === '--check';
  if (args.length > (isCheck ? 1 : 0)) {
    process.stderr.write('usage: waybill-server migrate [--check]\n');
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  if (isCheck) return withDatabase(config, listMissing, { tables: 'any' });
  const ran = await updateTables(config);
  for (const name of ran) process.stdout.write(`${name}\n`);
  process.stdout.write('✓ The tables are up to date.\n');
  return 0;
}

/** Exits with 1 when migrations are pending. */
async function listMissing(db: LockedDb): Promise<number> {
  const { missing } = await findMissingMigrations(db);
  for (const name of missing) process.stdout.write(`${name}\n`);
  process.stdout.write(
    missing.length === 0 ? '✓ The tables are up to date.\n' : `! ${counted(missing.length, 'migration')} would run.\n`,
  );
  return missing.length === 0 ? 0 : 1;
}
