// One person, for administrators.

import { listApiKeysOf } from '../../db/api-keys/api-keys.ts';
import { listEventsOf } from '../../db/events/events.ts';
import type { Query } from '../../db/schema/schema.ts';
import { findAccountFacts } from '../../db/users/account-facts.ts';
import { countSystemAdministrators, findUser } from '../../db/users/users.ts';
import { type DescribedAddress, describeAddresses } from '../../domain/addresses.ts';
import { type ApiKey, isExpired } from '../../domain/api-keys.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { requireRight } from '../../domain/roles.ts';
import { displayName, type Person, personOf, type User } from '../../domain/users.ts';
import { listSessionsIn, type OwnSession } from '../account/security.ts';
import { recordUserView } from '../audit/views.ts';
import type { Ctx } from '../context.ts';
import { findVisible } from './rights.ts';

export interface GroupReason {
  why: 'chosen' | 'default' | 'moved' | 'setup' | 'unknown';
  at: number | null;
  /** Empty when no person did it. */
  by: string;
}

export interface PersonDetail extends Person {
  addresses: DescribedAddress[];
  /** In bytes; null for no limit. */
  storageQuota: number | null;
  groupReason: GroupReason;
  /** Why the account cannot lose its rights. */
  guard: 'self' | 'last_administrator' | null;
  sessions: OwnSession[];
  apiKeys: (ApiKey & { state: 'active' | 'replaced' | 'expired' })[];
  /** Encrypts the stored data of clients. */
  hasClientKey: boolean;
  mayReadKey: boolean;
}

export async function getPerson(ctx: Ctx, caller: UserCaller, id: string): Promise<PersonDetail> {
  const person = await describePerson(ctx, caller, id);
  await recordUserView(ctx, caller, person.id);
  return person;
}

export async function describePerson(ctx: Ctx, caller: UserCaller, id: string): Promise<PersonDetail> {
  requireRight(caller, 'people.manage');
  const db = ctx.db.read;
  const user = await findVisible(db, caller, id);
  const now = ctx.clock.now();
  const quota = user.policy.storage_quota;
  const [groupReason, guard, sessions, keys, facts] = await Promise.all([
    findGroupReason(db, user),
    findGuard(db, caller, user),
    listSessionsIn(ctx, user.id, caller.sessionHash),
    listApiKeysOf(db, user.id),
    findAccountFacts(db, user.id),
  ]);
  return {
    ...personOf(user),
    addresses: describeAddresses(user),
    storageQuota: quota === 0 ? null : quota * megabyte,
    groupReason,
    guard,
    sessions,
    apiKeys: keys.map((key) => ({
      ...key,
      state: isExpired(key, now) ? 'expired' : key.replacedAt === null ? 'active' : 'replaced',
    })),
    hasClientKey: facts !== null && facts.clientKey !== '',
    mayReadKey: ctx.settings.current().apiKeyReadback !== 'off',
  };
}

async function findGuard(db: Query, caller: UserCaller, user: User): Promise<PersonDetail['guard']> {
  if (user.id === caller.userId) return 'self';
  if (user.role !== 'system_administrator' || user.state !== 'active') return null;
  return (await countSystemAdministrators(db)) <= 1 ? 'last_administrator' : null;
}

const megabyte = 1024 * 1024;
const maxEvents = 200;

/** Older events do not say whether the group was chosen. */
async function findGroupReason(db: Query, user: User): Promise<GroupReason> {
  const kinds = ['installation.set_up', 'user.created', 'user.changed'] as const;
  const events = await listEventsOf(db, { kind: 'user', id: user.id }, kinds, { size: maxEvents });
  for (const { action, at, actorId, facts } of events) {
    const why = reasonIn(action, facts);
    if (why === null) continue;
    const actor = actorId === '' ? undefined : await findUser(db, actorId);
    return { why, at, by: actor === undefined ? '' : displayName(actor) };
  }
  return { why: 'unknown', at: null, by: '' };
}

function reasonIn(action: string, facts: Record<string, unknown>): GroupReason['why'] | null {
  if (action === 'installation.set_up') return 'setup';
  if (action === 'user.created') return facts.group_chosen === false ? 'default' : 'chosen';
  const { changes, changed } = facts as { changes?: Record<string, unknown>; changed?: string[] };
  const isMove = changes === undefined ? changed?.includes('groupId') : 'group' in changes;
  return isMove ? 'moved' : null;
}
