// Leaves out what belongs to users whom the caller does not manage. Every list for administrators has this condition.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Query } from '../schema/schema.ts';

export interface Reach {
  /** Groups whose users the caller does not manage. */
  hiddenGroupIds: readonly string[];
  /** Always permitted. */
  callerId: string;
}

/** `column` has the id of an account. */
export function isInReach(column: string, { hiddenGroupIds, callerId }: Reach): RawBuilder<SqlBool> {
  if (hiddenGroupIds.length === 0) return sql`1 = 1`;
  return sql`${sql.ref(column)} not in
    (select id from users where group_id in (${sql.join(hiddenGroupIds)}) and id <> ${callerId})`;
}

const batchSize = 500;

export async function findOutOfReach(db: Query, ids: readonly string[], reach: Reach): Promise<Set<string>> {
  const found = new Set<string>();
  if (reach.hiddenGroupIds.length === 0) return found;
  for (let start = 0; start < ids.length; start += batchSize) {
    const rows = await db
      .selectFrom('users')
      .select('id')
      .where('id', 'in', ids.slice(start, start + batchSize))
      .where('group_id', 'in', reach.hiddenGroupIds)
      .where('id', '<>', reach.callerId)
      .execute();
    for (const { id } of rows) found.add(id);
  }
  return found;
}
