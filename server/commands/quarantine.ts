// `waybill-server quarantine [--end]`: shows or ends the quarantine of a copy.
import { readConfig, takeSecrets } from '../config.ts';
import { sqlitePath, withDatabase } from '../installation/open.ts';
import { endQuarantine, findQuarantine } from '../installation/quarantine.ts';

export async function quarantine(args: string[]): Promise<number> {
  if (args.length > 1 || (args.length === 1 && args[0] !== '--end')) {
    process.stderr.write('usage: waybill-server quarantine [--end]\n');
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  return withDatabase(config, async (db) => {
    if (args.includes('--end')) await endQuarantine(db, sqlitePath(config));
    const sentence = await findQuarantine(db);
    process.stdout.write(sentence === null ? '✓ Not in quarantine.\n' : `! ${sentence}\n`);
    return sentence === null ? 0 : 1;
  });
}
