// Finding people, for administrators: by words and filters, a page at a time. Nobody sees people of their own rank or above,
// and no count includes them.
import { listGroups } from '../../db/groups.ts';
import {
  countUserList,
  countUserStates,
  listUserPage,
  sortValueOf,
  type UserCounts,
  type UserFilter,
  type UserSort,
} from '../../db/user-lists.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { demandRight, mayManage, type Role } from '../../domain/roles.ts';
import type { User } from '../../domain/users.ts';
import { readCursor, writeCursor } from '../../lib/cursor.ts';
import type { Ctx } from '../context.ts';

export interface PeopleWanted {
  q: string;
  role: Role | null;
  groupId: string | null;
  state: UserFilter['state'];
  /** Seen, but not for this many days. */
  seen: 'never' | number | null;
  sort: UserSort;
  isDescending: boolean;
  after: string | null;
  size: number;
}

export interface PeopleFound {
  people: User[];
  total: number;
  next: string | null;
  counts: UserCounts;
}

const dayMs = 86_400_000;
/** Not seen for this long counts as inactive. */
const inactiveDays = 90;

export async function listPeople(ctx: Ctx, caller: UserCaller, wanted: PeopleWanted): Promise<PeopleFound> {
  demandRight(caller, 'people.manage');
  const db = ctx.db.read;
  const now = ctx.clock.now();
  const groups = (await listGroups(db)).filter((group) => mayManage(caller, group));
  const isWanted = { role: wanted.role ?? caller.role, group: wanted.groupId ?? caller.groupId };
  const filter: UserFilter = {
    groupIds: groups
      .filter(({ id, role }) => (wanted.role ?? role) === role && (wanted.groupId ?? id) === id)
      .map(({ id }) => id),
    selfId: isWanted.role === caller.role && isWanted.group === caller.groupId ? caller.userId : null,
    q: wanted.q,
    state: wanted.state,
    seen: typeof wanted.seen === 'number' ? { before: now - wanted.seen * dayMs } : wanted.seen,
  };
  const { sort, isDescending, size } = wanted;
  const page = { sort, isDescending, after: placeOf(wanted), limit: size + 1 };
  const everybody = { groupIds: groups.map(({ id }) => id), selfId: caller.userId };
  const [rows, total, counts] = await Promise.all([
    listUserPage(db, filter, page),
    countUserList(db, filter),
    countUserStates(db, everybody, now - inactiveDays * dayMs),
  ]);
  const people = rows.slice(0, size);
  const last = rows.length > size ? people.at(-1)! : null;
  return { people, total, next: last === null ? null : writeCursor([sortValueOf(last, sort), last.id]), counts };
}

function placeOf({ after, sort }: PeopleWanted): { value: string | number; id: string } | null {
  if (after === null) return null;
  const isText = sort === 'email' || sort === 'name';
  const values = readCursor(after, [isText ? 'string' : 'number', 'string']);
  if (values === null)
    throw invalid('list.bad_place', 'The list can’t go on from here. Start again from its first page.', 'after');
  return { value: values[0]!, id: String(values[1]) };
}
