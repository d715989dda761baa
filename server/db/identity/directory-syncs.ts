// The last synchronisation with each directory and of SCIM, and the people it is about.
import type { DirectorySyncsTable, Query, Tx } from '../schema/schema.ts';
import { isAssigned } from '../users/group-assignment.ts';

export type DirectorySync = Pick<DirectorySyncsTable, 'outcome' | 'note'> & { at: number };

export async function findDirectorySync(db: Query, service: string): Promise<DirectorySync | undefined> {
  const row = await db.selectFrom('directory_syncs').selectAll().where('service', '=', service).executeTakeFirst();
  return row && { outcome: row.outcome, note: row.note, at: row.synced_at };
}

/** The note of one that an administrator permits to change many people. */
export const permittedNote = 'permitted';

export async function listDirectorySyncs(db: Query): Promise<(DirectorySync & { service: string })[]> {
  const rows = await db.selectFrom('directory_syncs').selectAll().orderBy('service').execute();
  return rows.map(({ service, outcome, note, synced_at: at }) => ({ service, outcome, note, at }));
}

export async function saveDirectorySync(tx: Tx, service: string, { outcome, note, at }: DirectorySync): Promise<void> {
  const values = { synced_at: at, outcome, note };
  await tx
    .insertInto('directory_syncs')
    .values({ service, ...values })
    .onConflict((conflict) => conflict.column('service').doUpdateSet(values))
    .execute();
}

export async function deleteDirectorySync(tx: Tx, service: string): Promise<void> {
  await tx.deleteFrom('directory_syncs').where('service', '=', service).execute();
}

export interface SyncedPerson {
  id: string;
  subject: string;
  userId: string;
  email: string;
  groupId: string;
  isActive: boolean;
  isGroupAssigned: boolean;
  /** Switched off by this service. */
  isDisabledByService: boolean;
  /** As JSON. */
  directoryGroups: string | null;
}

/** People of a service in the order of their ids, after one of them. */
export async function listSyncedPeople(
  db: Query,
  service: string,
  { after, limit }: { after: string; limit: number },
): Promise<SyncedPerson[]> {
  const rows = await db
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .select([
      'identities.id',
      'identities.subject',
      'identities.user_id',
      'identities.directory_groups',
      'identities.disabled_at',
      'users.email',
      'users.group_id',
      'users.is_group_assigned',
      'users.state',
    ])
    .where('identities.service', '=', service)
    .where('identities.id', '>', after)
    .orderBy('identities.id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    subject: row.subject,
    userId: row.user_id,
    email: row.email,
    groupId: row.group_id,
    isActive: row.state === 'active',
    isGroupAssigned: isAssigned(row),
    isDisabledByService: row.disabled_at !== null,
    directoryGroups: row.directory_groups,
  }));
}
