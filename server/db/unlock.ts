// Gives a connection the installation's keys, so that every query below can seal what it stores and open what it reads.
import type { Db, LockedDb, Sealer } from './schema/schema.ts';

export function unlock(db: LockedDb, keys: Sealer): Db {
  return {
    ...db,
    read: Object.assign(db.read, { keys }),
    write: (work) => db.write((tx) => work(Object.assign(tx, { keys }))),
  };
}
