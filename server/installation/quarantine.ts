// A copy of an installation, such as a restored backup, sends no mail and erases nothing until an operator confirms it.
// The database stores its own location; at another location it is a copy.
import { stat } from 'node:fs/promises';
import type { LockedDb } from '../db/schema/schema.ts';
import { deleteMeta, findMeta, readPostgresPlace, setMeta } from '../db/system/installation.ts';

export const placeKey = 'database_place';
const quarantineKey = 'quarantine';

const reasons = {
  moved: 'This database was moved to another place',
  restored: 'This installation was restored from a backup',
  copied: 'This database was copied or restored since it was last used',
  older: 'The store has seen a later state of this installation, so this database is an older copy',
} as const;

type Reason = keyof typeof reasons;

export interface Quarantine {
  /** A sentence for operators, as of the last `refresh`; null when not in quarantine. */
  fault(): string | null;
  refresh(): Promise<void>;
  begin(reason: Reason): Promise<void>;
}

export async function openQuarantine(db: LockedDb): Promise<Quarantine> {
  let sentence: string | null = null;
  const quarantine: Quarantine = {
    fault: () => sentence,
    async refresh() {
      sentence = await findQuarantine(db);
    },
    async begin(reason) {
      if (sentence !== null) return;
      await db.write((tx) => setMeta(tx, quarantineKey, reason));
      await quarantine.refresh();
    },
  };
  await quarantine.refresh();
  return quarantine;
}

export async function findQuarantine(db: LockedDb): Promise<string | null> {
  const reason = await findMeta(db.read, quarantineKey);
  if (reason === null) return null;
  return `${reasons[reason as Reason] ?? reason}: no mail is sent and nothing is erased until you run waybill-server quarantine --end.`;
}

/** Compares the location with the stored one. The first process of a start calls it. */
export async function detectCopy(db: LockedDb, sqlitePath: string | null): Promise<void> {
  const place = await placeOf(db, sqlitePath);
  const before = await findMeta(db.read, placeKey);
  if (before === place) return;
  await db.write(async (tx) => {
    const isKnown = (await findMeta(tx, quarantineKey)) !== null;
    if (before !== null && !isKnown) await setMeta(tx, quarantineKey, 'copied' satisfies Reason);
    await setMeta(tx, placeKey, place);
  });
}

export async function beginQuarantine(tx: Parameters<typeof setMeta>[0], reason: Reason): Promise<void> {
  await setMeta(tx, quarantineKey, reason);
}

/** An operator has confirmed this database as the original, also before its first start in this place. */
export async function endQuarantine(db: LockedDb, sqlitePath: string | null): Promise<void> {
  const place = await placeOf(db, sqlitePath);
  await db.write(async (tx) => {
    await setMeta(tx, placeKey, place);
    await deleteMeta(tx, quarantineKey);
  });
}

/** A copy differs in it: inode and birth time of a file, cluster and number of a PostgreSQL database. */
async function placeOf(db: LockedDb, sqlitePath: string | null): Promise<string> {
  if (sqlitePath === null) return readPostgresPlace(db.read);
  const { ino, birthtimeMs } = await stat(sqlitePath);
  return `${ino}/${Math.floor(birthtimeMs)}`;
}
