// Finding people, for administrators.
import type { PersonBody, peopleSorts } from '#contract/admin/user-lists.ts';
import { listPeople, type PeopleWanted } from '../../../actions/users/lists.ts';
import type { User } from '../../../domain/users.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';

const defaultSize = 50;

export function serveUserLists(serve: Serve): void {
  serve('listPeople', async ({ ctx, caller, query }) => {
    const { people, total, next, counts } = await listPeople(ctx, caller, {
      ...orderOf(query.sort ?? 'email'),
      q: query.q ?? '',
      role: query.role ?? null,
      groupId: query.group ?? null,
      state: query.state ?? null,
      seen: seenOf(query.seen),
      after: query.after ?? null,
      size: query.size ?? defaultSize,
    });
    return { items: people.map(personBody), total, next, counts };
  });
}

/** `never` or a number of days. */
export function seenOf(word: string | undefined): PeopleWanted['seen'] {
  if (word === undefined) return null;
  return word === 'never' ? word : Number(word);
}

function orderOf(sort: (typeof peopleSorts)[number]): Pick<PeopleWanted, 'sort' | 'isDescending'> {
  return { sort: sort.replace(/^-/, '') as PeopleWanted['sort'], isDescending: sort.startsWith('-') };
}

export function personBody(user: User): PersonBody {
  const isInvited = user.state === 'active' && user.passwordHash === null && user.lastSeenAt === null;
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    group: { id: user.groupId, name: user.groupName },
    is_local: user.isLocal,
    role: user.role,
    state: isInvited ? 'invited' : user.state,
    second_step: user.totpState === 'on',
    storage_used: user.storedBytes,
    last_seen_at: user.lastSeenAt === null ? null : isoInstant(user.lastSeenAt),
    created_at: isoInstant(user.createdAt),
  };
}
