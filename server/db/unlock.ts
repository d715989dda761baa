// Adds the keys of the installation to a connection, so that queries can encrypt and decrypt columns.
import type { Db, LockedDb, Sealer } from './schema/schema.ts';

export function unlock(db: LockedDb, keys: Sealer): Db {
  return {
    ...db,
    read: Object.assign(db.read, { keys }),
    write: (work) => db.write((tx) => work(Object.assign(tx, { keys }))),
  };
}
