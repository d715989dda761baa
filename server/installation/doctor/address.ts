// Checks requests through the proxy at the public address.
import { checkPublicAddress, probeToken } from '../../actions/system/connection-test.ts';
import type { Config } from '../../config.ts';
import type { LockedDb } from '../../db/schema/schema.ts';
import { findMeta } from '../../db/system/installation.ts';
import type { Random } from '../../domain/ports.ts';
import { readProbeReport } from '../../http/api/admin/system.ts';
import type { BaseClock } from '../../lib/clock.ts';
import { keyCheck, openKeys } from '../keys.ts';
import { surroundingsOf } from '../settings.ts';
import type { Finding } from './findings.ts';
import { findingsOf } from './mail.ts';

/** Null while the installation has no key. */
export async function tokenOf(
  config: Config,
  db: LockedDb,
  { random, clock }: { random: Random; clock: BaseClock },
): Promise<string | null> {
  // A first start would create a key.
  if ((await findMeta(db.read, keyCheck)) === null) return null;
  const serviceClock = { now: clock.now, uptime: () => 0, fault: () => null };
  const { keys } = await openKeys(config, db, { random, clock: serviceClock });
  return probeToken({ clock, keys });
}

export async function checkProxy(config: Config, token: string): Promise<Finding[]> {
  const checks = await checkPublicAddress(surroundingsOf(config), token, readProbeReport);
  return checks.flatMap((check) => findingsOf('public address', check));
}
