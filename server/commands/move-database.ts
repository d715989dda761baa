// `waybill-server move-database --to URL | --to-file FILE`: copies the database into an empty one of either kind. Servers must be
// stopped.
import { readFileSync } from 'node:fs';
import { moveTarget, readConfig, takeSecrets } from '../config.ts';
import { moveDatabase } from '../installation/move-database.ts';
import { databaseUrl } from '../installation/open.ts';
import { actAsOwnerOf } from '../lib/acting-user.ts';
import { counted } from '../lib/counted.ts';
import { OperatorProblem } from '../lib/operator-problem.ts';
import { type Flags, readFlags } from './flags.ts';

export async function moveDatabaseCommand(args: string[]): Promise<number> {
  const flags = readFlags(args, { values: ['--to', '--to-file'] });
  const to = flags === null ? null : readTarget(flags);
  if (to === null || !/^(postgres(ql)?:\/\/|sqlite:.)/.test(to)) {
    process.stderr.write(
      'usage: waybill-server move-database --to sqlite:/path/waybill.db | --to-file FILE\n' +
        '       The file, or the variable WAYBILL_MOVE_DATABASE_TO, has the address postgres://user:password@host/name.\n',
    );
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
    `✓ ${counted(rows, 'row')} of ${counted(tables, 'table')} moved; counts and sums are the same. ${next} and start the servers.\n` +
      '  The old database is in quarantine: if it is started, it sends and erases nothing.\n',
  );
  return 0;
}

/** Every user of the machine can read the arguments of a process, so they must not contain a password. */
function readTarget({ values }: Flags): string | null {
  const [given, file] = [values.get('--to'), values.get('--to-file')];
  if (given !== undefined && file !== undefined) return null;
  if (file !== undefined) return readFileSync(file, 'utf8').trim();
  if (given === undefined) return moveTarget();
  if (URL.canParse(given) && new URL(given).password !== '')
    throw new OperatorProblem(
      'The process list would show the password of --to. Put the address into a file and use --to-file FILE, or set WAYBILL_MOVE_DATABASE_TO.',
    );
  return given;
}
