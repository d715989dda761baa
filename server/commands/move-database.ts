// `waybill-server move-database --to URL`: copies the database into an empty one of either kind. Servers must be
// stopped.
import { readConfig, takeSecrets } from '../config.ts';
import { moveDatabase } from '../installation/move-database.ts';
import { databaseUrl } from '../installation/open.ts';
import { actAsOwnerOf } from '../lib/acting-user.ts';
import { readFlags } from './flags.ts';

export async function moveDatabaseCommand(args: string[]): Promise<number> {
  const flags = readFlags(args, { values: ['--to'] });
  const to = flags?.values.get('--to') ?? '';
  if (!/^(postgres(ql)?:\/\/|sqlite:.)/.test(to)) {
    process.stderr.write('usage: waybill-server move-database --to postgres://…|sqlite:/path/waybill.db\n');
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  actAsOwnerOf(config.dataDir);
  const { tables, rows } = await moveDatabase(databaseUrl(config), to);
  const next = to.startsWith('sqlite:')
    ? 'Remove WAYBILL_DATABASE_URL (the file belongs into the data folder as waybill.db)'
    : 'Set WAYBILL_DATABASE_URL to it';
  process.stdout.write(
    `✓ ${rows} rows of ${tables} tables moved; counts and sums are the same. ${next} and start the servers.\n` +
      '  The old database is in quarantine: if it is started, it sends and erases nothing.\n',
  );
  return 0;
}
