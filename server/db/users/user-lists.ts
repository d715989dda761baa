// Lists of users for administrators. Every order has an index that ends with the id, so every page takes the same time.
import { type RawBuilder, sql } from 'kysely';
import type { User } from '../../domain/users.ts';
import { foldText } from '../../lib/text-search.ts';
import type { Query } from '../schema/schema.ts';
import { escapeLike, userOf, withGroup } from './users.ts';

export type UserSort = 'email' | 'name' | 'seen' | 'storage';

export interface UserFilter {
  /** Members of one of these groups, or of none; does not use the index of groups, which would prevent the order. */
  groups: { among: readonly string[] } | { not: readonly string[] };
  /** The caller, also in another group; null leaves them out. */
  selfId: string | null;
  q: string;
  state: 'active' | 'invited' | 'disabled' | null;
  seen: 'never' | { before: number } | null;
  /** Null for no condition. */
  ids: readonly string[] | null;
  /** Without those who have this group or state. */
  isnt: { groupId: string } | { state: 'active' | 'disabled' } | null;
}

export interface UserPage {
  sort: UserSort;
  isDescending: boolean;
  /** Values of the last row of the previous page. */
  after: { value: string | number; id: string } | null;
  limit: number;
}

const orders = {
  email: sql<string>`users.email`,
  name: sql<string>`users.name`,
  seen: sql<number>`coalesce(users.last_seen_at, 0)`,
  storage: sql<number>`users.stored_bytes`,
};

/** For the cursor. */
export function sortValueOf(user: User, sort: UserSort): string | number {
  const values = { email: user.email, name: user.name, seen: user.lastSeenAt ?? 0, storage: user.storedBytes };
  return values[sort];
}

/** Reads the ids in order from one table and its index, then the users. A join would sort all users. */
export async function listUserPage(db: Query, filter: UserFilter, page: UserPage): Promise<User[]> {
  const order = orders[page.sort];
  const direction = page.isDescending ? 'desc' : 'asc';
  let query = db.selectFrom('users').select('users.id').where('users.state', '<>', 'deleted').where(matches(filter));
  if (page.after !== null) {
    const { value, id } = page.after;
    query = query.where(
      page.isDescending
        ? sql<boolean>`(${order}, users.id) < (${value}, ${id})`
        : sql<boolean>`(${order}, users.id) > (${value}, ${id})`,
    );
  }
  const found = await query.orderBy(order, direction).orderBy('users.id', direction).limit(page.limit).execute();
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const rows = await withGroup(db).where('users.id', 'in', ids).execute();
  const users = new Map(rows.map((row) => [row.id, userOf(row)]));
  return ids.flatMap((id) => users.get(id) ?? []);
}

export async function countUserList(db: Query, filter: UserFilter): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('users.state', '<>', 'deleted')
    .where(matches(filter))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export interface UserCounts {
  all: number;
  disabled: number;
  never: number;
  inactive: number;
}

/** Uses only an index. */
export async function countUserStates(
  db: Query,
  groups: UserFilter['groups'],
  seenBefore: number,
): Promise<UserCounts> {
  const some = (condition: RawBuilder<unknown>) => sql<number>`sum(case when ${condition} then 1 else 0 end)`;
  const row = await db
    .selectFrom('users')
    .select([
      sql<number>`count(*)`.as('all'),
      some(sql`users.state = 'disabled'`).as('disabled'),
      some(sql`users.last_seen_at is null`).as('never'),
      some(sql`users.last_seen_at < ${seenBefore}`).as('inactive'),
    ])
    .where('users.state', '<>', 'deleted')
    .where(isIn(groups))
    .executeTakeFirstOrThrow();
  return {
    all: Number(row.all),
    disabled: Number(row.disabled ?? 0),
    never: Number(row.never ?? 0),
    inactive: Number(row.inactive ?? 0),
  };
}

const isInvited = sql<boolean>`users.state = 'active' and users.last_seen_at is null and users.password_hash is null`;

function isIn(groups: UserFilter['groups']): RawBuilder<boolean> {
  if ('among' in groups)
    return groups.among.length === 0
      ? sql<boolean>`1 = 0`
      : sql<boolean>`users.group_id in (${sql.join(groups.among)})`;
  return groups.not.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`users.group_id not in (${sql.join(groups.not)})`;
}

function matches({ groups, selfId, q, state, seen, ids, isnt }: UserFilter): RawBuilder<boolean> {
  const inGroups = isIn(groups);
  const conditions: RawBuilder<unknown>[] = [selfId === null ? inGroups : sql`(${inGroups} or users.id = ${selfId})`];
  for (const word of foldText(q).split(/\s+/u)) {
    if (word !== '') conditions.push(sql`users.search_text like ${`%${escapeLike(word)}%`} escape '!'`);
  }
  if (state === 'disabled') conditions.push(sql`users.state = 'disabled'`);
  if (state === 'invited') conditions.push(isInvited);
  if (state === 'active') conditions.push(sql`users.state = 'active' and not (${isInvited})`);
  if (seen === 'never') conditions.push(sql`users.last_seen_at is null`);
  else if (seen !== null) conditions.push(sql`users.last_seen_at < ${seen.before}`);
  if (ids !== null) conditions.push(ids.length === 0 ? sql`1 = 0` : sql`users.id in (${sql.join(ids)})`);
  if (isnt !== null)
    conditions.push('groupId' in isnt ? sql`users.group_id <> ${isnt.groupId}` : sql`users.state <> ${isnt.state}`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}
