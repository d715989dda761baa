// Finding people, for administrators: by words and filters, a page at a time. Nobody sees people of their own rank or above,
// and no count includes them.
import { listGroups } from '../../db/groups/groups.ts';
import {
  countUserList,
  countUserStates,
  listUserPage,
  sortValueOf,
  type UserCounts,
  type UserFilter,
  type UserSort,
} from '../../db/users/user-lists.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Group } from '../../domain/groups.ts';
import { mayManage, type Role, requireRight } from '../../domain/roles.ts';
import { type Person, personOf } from '../../domain/users.ts';
import { writeCursor } from '../../lib/cursor.ts';
import type { Ctx } from '../context.ts';
import { readPageMarker } from '../listing.ts';

/** Whom an administrator looks for. */
export interface PeopleWishes {
  q: string;
  role: Role | null;
  groupId: string | null;
  state: UserFilter['state'];
  /** Seen, but not for this many days. */
  seen: 'never' | number | null;
}

export interface PeopleWanted extends PeopleWishes {
  order: { by: UserSort; direction: 'asc' | 'desc' };
  /** `next` of the page before; blank for the first one. */
  after: string;
  size: number;
}

export interface PeopleFound {
  items: Person[];
  total: number;
  next: string | null;
  counts: UserCounts;
}

const dayMs = 86_400_000;
/** Not seen for this long counts as inactive. */
const inactiveDays = 90;

export async function listPeople(ctx: Ctx, caller: UserCaller, wanted: PeopleWanted): Promise<PeopleFound> {
  requireRight(caller, 'people.manage');
  const db = ctx.db.read;
  const now = ctx.clock.now();
  const hidden = await hiddenGroups(ctx, caller);
  const filter = await resolvePeople(ctx, caller, wanted, now);
  const { order, size } = wanted;
  const isDescending = order.direction === 'desc';
  const page = { sort: order.by, isDescending, after: placeOf(wanted), limit: size + 1 };
  const isFiltered = wanted.role !== null || wanted.groupId !== null || hasMore(filter);
  const [rows, states] = await Promise.all([
    listUserPage(db, filter, page),
    countUserStates(db, { not: hidden }, now - inactiveDays * dayMs),
  ]);
  // The caller is active and was seen just now.
  const counts = { ...states, all: states.all + (hidden.includes(caller.groupId) ? 1 : 0) };
  // Words are looked for in every row: what fits on the first page need not be counted again.
  const isAll = page.after === null && rows.length <= size;
  const total = isAll ? rows.length : isFiltered ? await countUserList(db, filter) : counts.all;
  const people = rows.slice(0, size);
  const last = rows.length > size ? people.at(-1)! : null;
  const next = last === null ? null : writeCursor([sortValueOf(last, order.by), last.id]);
  return { items: people.map(personOf), total, next, counts };
}

/** Within the caller's reach; days are counted back from `askedAt`. */
export async function resolvePeople(
  ctx: Ctx,
  caller: UserCaller,
  wishes: PeopleWishes,
  askedAt: number,
): Promise<UserFilter> {
  const { q, state, seen } = wishes;
  return {
    ...whomOf(caller, wishes, await listGroups(ctx.db.read)),
    ids: null,
    isnt: null,
    q,
    state,
    seen: typeof seen === 'number' ? { before: askedAt - seen * dayMs } : seen,
  };
}

async function hiddenGroups(ctx: Ctx, caller: UserCaller): Promise<string[]> {
  return hiddenAmong(caller, await listGroups(ctx.db.read));
}

function hiddenAmong(caller: UserCaller, groups: Group[]): string[] {
  return groups.filter((group) => !mayManage(caller, group)).map(({ id }) => id);
}

function hasMore({ q, state, seen }: UserFilter): boolean {
  return q.trim() !== '' || state !== null || seen !== null;
}

/** Everybody within the caller's reach and themselves; of one role or group, if that is wanted. */
function whomOf(
  caller: UserCaller,
  { role, groupId }: PeopleWishes,
  groups: Group[],
): Pick<UserFilter, 'groups' | 'selfId'> {
  const hidden = hiddenAmong(caller, groups);
  const selfId = hidden.includes(caller.groupId) ? caller.userId : null;
  if (role === null && groupId === null) return { groups: { not: hidden }, selfId };
  const isWanted = (group: Pick<Group, 'id' | 'role'>) =>
    (role ?? group.role) === group.role && (groupId ?? group.id) === group.id;
  return {
    groups: { among: groups.filter((group) => isWanted(group) && !hidden.includes(group.id)).map(({ id }) => id) },
    selfId: isWanted({ id: caller.groupId, role: caller.role }) ? selfId : null,
  };
}

function placeOf({ after, order }: PeopleWanted): { value: string | number; id: string } | null {
  const isText = order.by === 'email' || order.by === 'name';
  const values = readPageMarker(after, [isText ? 'string' : 'number', 'string']);
  return values === null ? null : { value: values[0]!, id: String(values[1]) };
}
