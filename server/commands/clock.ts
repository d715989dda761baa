// `waybill-server clock [--mend]`: shows the clocks and the latest instant seen; resets that instant after a clock was
// ahead.
import { readConfig, takeSecrets } from '../config.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import { describeClock, mendClock } from '../installation/clock.ts';
import { withDatabase } from '../installation/open.ts';
import { systemClock } from '../lib/clock.ts';

export async function clock(args: string[]): Promise<number> {
  if (args.length > 1 || (args.length === 1 && args[0] !== '--mend')) {
    process.stderr.write('usage: waybill-server clock [--mend]\n');
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  return withDatabase(config, (db) => show(db, args.includes('--mend')));
}

async function show(db: LockedDb, isMending: boolean): Promise<number> {
  const base = systemClock();
  if (isMending) await mendClock(db, base);
  const { machine, database, mark, faults } = await describeClock(db, base);
  process.stdout.write(`this machine  ${machine}\n`);
  if (database !== null) process.stdout.write(`database      ${database}\n`);
  process.stdout.write(`latest seen   ${mark}\n`);
  for (const fault of faults) process.stdout.write(`✗ ${fault}\n`);
  if (faults.length === 0) process.stdout.write('✓ The clocks agree.\n');
  return faults.length === 0 ? 0 : 1;
}
