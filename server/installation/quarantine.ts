// A copy of an installation, such as a restored backup, must not do what the original does: it sends no mail and erases
// nothing until an operator says so. The database remembers where it is; a database that finds itself elsewhere is a copy.
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
  /** Why it is on, as a sentence for operators; null when it is off. As of the last `refresh`. */
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

/** Compares where the database is with where it was. For the first process of a start. */
export async function noticeCopy(db: LockedDb, sqlitePath: string | null): Promise<void> {
  const place = await placeOf(db, sqlitePath);
  const before = await findMeta(db.read, placeKey);
  if (before === place) return;
  await db.write(async (tx) => {
    const isKnown = (await findMeta(tx, quarantineKey)) !== null;
    if (before !== null && !isKnown) await setMeta(tx, quarantineKey, 'copied' satisfies Reason);
    await setMeta(tx, placeKey, place);
  });
}

/** For whoever makes a copy. */
export async function beginQuarantine(tx: Parameters<typeof setMeta>[0], reason: Reason): Promise<void> {
  await setMeta(tx, quarantineKey, reason);
}

/** An operator has looked: this one is the original from now on. */
export async function endQuarantine(db: LockedDb): Promise<void> {
  await db.write((tx) => deleteMeta(tx, quarantineKey));
}

/** What a copy does not share: of a file its number and birth, of a PostgreSQL database its cluster and number. */
async function placeOf(db: LockedDb, sqlitePath: string | null): Promise<string> {
  if (sqlitePath === null) return readPostgresPlace(db.read);
  const { ino, birthtimeMs } = await stat(sqlitePath);
  return `${ino}/${Math.floor(birthtimeMs)}`;
}
