// Lists people, for administrators. People of the caller's rank or above are neither listed nor counted.
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

export interface PeopleFilterInput {
  q: string;
  role: Role | null;
  groupId: string | null;
  state: UserFilter['state'];
  /** `never`, or not for this many days. */
  seen: 'never' | number | null;
}

export interface PeopleListInput extends PeopleFilterInput {
  order: { by: UserSort; direction: 'asc' | 'desc' };
  /** `next` of the previous page; empty for the first page. */
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
const inactiveDays = 90;

export async function listPeople(ctx: Ctx, caller: UserCaller, input: PeopleListInput): Promise<PeopleFound> {
  requireRight(caller, 'people.manage');
  const db = ctx.db.read;
  const now = ctx.clock.now();
  const hidden = await hiddenGroups(ctx, caller);
  const filter = await resolvePeople(ctx, caller, input, now);
  const { order, size } = input;
  const isDescending = order.direction === 'desc';
  const page = { sort: order.by, isDescending, after: placeOf(input), limit: size + 1 };
  const isFiltered = input.role !== null || input.groupId !== null || hasMore(filter);
  const [rows, states] = await Promise.all([
    listUserPage(db, filter, page),
    countUserStates(db, { not: hidden }, now - inactiveDays * dayMs),
  ]);
  // The caller is active.
  const counts = { ...states, all: states.all + (hidden.includes(caller.groupId) ? 1 : 0) };
  // A text search reads every row, so a single page need not be counted again.
  const isAll = page.after === null && rows.length <= size;
  const total = isAll ? rows.length : isFiltered ? await countUserList(db, filter) : counts.all;
  const people = rows.slice(0, size);
  const last = rows.length > size ? people.at(-1)! : null;
  const next = last === null ? null : writeCursor([sortValueOf(last, order.by), last.id]);
  return { items: people.map(personOf), total, next, counts };
}

/** Days are counted back from `askedAt`. */
export async function resolvePeople(
  ctx: Ctx,
  caller: UserCaller,
  input: PeopleFilterInput,
  askedAt: number,
): Promise<UserFilter> {
  const { q, state, seen } = input;
  return {
    ...whomOf(caller, input, await listGroups(ctx.db.read)),
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

/** Always includes the caller. */
function whomOf(
  caller: UserCaller,
  { role, groupId }: PeopleFilterInput,
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

function placeOf({ after, order }: PeopleListInput): { value: string | number; id: string } | null {
  const isText = order.by === 'email' || order.by === 'name';
  const values = readPageMarker(after, [isText ? 'string' : 'number', 'string']);
  return values === null ? null : { value: values[0]!, id: String(values[1]) };
}
