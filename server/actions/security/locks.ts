// Lists and removes locks after too many failed attempts.
import { type ClosedLimit, forgetAttempts, listClosedLimits } from '../../db/sessions/attempts.ts';
import { findUser } from '../../db/users/users.ts';
import { type LimitName, limitOf } from '../../domain/attempt-limits.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { referencesOf } from '../transfers/references.ts';

export interface Lock {
  id: string;
  kind: LockKind;
  user: { id: string; email: string; name: string } | null;
  /** Set for link-password locks. */
  linkId: string | null;
  /** Null when attempts from all networks count. */
  network: string | null;
  failures: number;
  until: number;
}

export type LockKind =
  | 'sign_in'
  | 'sign_in_network'
  | 'slowed'
  | 'second_step'
  | 'password_again'
  | 'link_password'
  | 'reset';

const maxListed = 500;

const listed: Partial<Record<LimitName, LockKind>> = {
  signIn: 'sign_in',
  signInByNetwork: 'sign_in_network',
  signInByName: 'slowed',
  secondStep: 'second_step',
  passwordAgain: 'password_again',
  linkPassword: 'link_password',
  linkPasswordByLink: 'link_password',
  resetByNetwork: 'reset',
};

export interface NamedLock extends Omit<Lock, 'linkId'> {
  link: string | null;
}

export async function listLocks(ctx: Ctx, caller: UserCaller): Promise<NamedLock[]> {
  requireRight(caller, 'system.read');
  const locks = (await closedLimits(ctx)).map(({ lock }) => lock);
  const references = await referencesOf(
    ctx,
    locks.flatMap(({ linkId }) => linkId ?? []),
  );
  return locks.map(({ linkId, ...lock }) => ({
    ...lock,
    link: linkId === null ? null : (references.get(linkId) ?? ''),
  }));
}

async function closedLimits(ctx: Ctx): Promise<{ key: string; lock: Lock }[]> {
  const query = { now: ctx.clock.now(), limit: maxListed };
  const found = await Promise.all(
    (Object.entries(listed) as [LimitName, LockKind][]).map(async ([name, kind]) => {
      const limit = limitOf(name);
      const closed = await listClosedLimits(ctx.db.read, { kind: name, most: limit.most, ...query });
      const isOfLink = limit.by.includes('link');
      return Promise.all(closed.map(async (one) => ({ key: one.key, lock: await describe(ctx, kind, isOfLink, one) })));
    }),
  );
  return found.flat();
}

async function describe(ctx: Ctx, kind: LockKind, isOfLink: boolean, closed: ClosedLimit): Promise<Lock> {
  const { key, about, network, failures, closedUntil } = closed;
  const found = isOfLink || about === '' ? undefined : await findUser(ctx.db.read, about);
  return {
    id: lockId(ctx, key),
    kind,
    user: found === undefined ? null : { id: found.id, email: found.email, name: found.name },
    linkId: isOfLink ? about : null,
    network: network === '' ? null : network,
    failures,
    until: closedUntil,
  };
}

function lockId(ctx: Ctx, key: string): string {
  return ctx.keys.hash('lock', key).toString('base64url').slice(0, 22);
}

export async function removeLock(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  requireRight(caller, 'system.change');
  const closed = (await closedLimits(ctx)).find(({ lock }) => lock.id === id);
  if (closed === undefined) throw notFound('lock');
  const { key, lock } = closed;
  await ctx.db.write(async (tx) => {
    await forgetAttempts(tx, key);
    await record(ctx, tx, caller, {
      action: 'user.unlocked',
      object: { kind: 'user', id: lock.user?.id ?? '' },
      ownerId: lock.user?.id ?? '',
      facts: { kind: lock.kind, network: lock.network ?? '' },
    });
  });
}
