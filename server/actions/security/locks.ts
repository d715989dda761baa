// Sign-ins that are locked after too many failures, and unlocking them.
import { type ClosedDoor, forgetAttempts, listClosedDoors } from '../../db/sessions/attempts.ts';
import { findUser } from '../../db/users/users.ts';
import { attemptLimits, type Limit, resetLimit } from '../../domain/attempt-limits.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { demandRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { referencesOf } from '../transfers/references.ts';

export interface Lock {
  id: string;
  kind: LockKind;
  user: { id: string; email: string; name: string } | null;
  /** Of the link whose password was guessed at. */
  linkId: string | null;
  /** Null when it counts from everywhere. */
  network: string | null;
  failures: number;
  until: number;
}

export type LockKind = 'sign_in' | 'slowed' | 'second_step' | 'password_again' | 'link_password' | 'reset';

const mostListed = 500;

/** A kind of door: how its key begins, and what closes it. */
interface Door {
  prefix: string;
  limit: Pick<Limit, 'most'>;
  /** For a key without a network; null where there is none. */
  fromEverywhere: Limit | null;
  kind: LockKind;
  about: 'user' | 'link' | 'nobody';
}

const doors: readonly Door[] = [
  {
    prefix: 'login:',
    limit: attemptLimits.signIn,
    fromEverywhere: attemptLimits.signInFromEverywhere,
    kind: 'sign_in',
    about: 'user',
  },
  {
    prefix: 'totp:',
    limit: attemptLimits.secondStep,
    fromEverywhere: attemptLimits.secondStep,
    kind: 'second_step',
    about: 'user',
  },
  {
    prefix: 'password-again:',
    limit: attemptLimits.passwordAgain,
    fromEverywhere: attemptLimits.passwordAgain,
    kind: 'password_again',
    about: 'user',
  },
  {
    prefix: 'link:',
    limit: attemptLimits.linkPassword,
    fromEverywhere: attemptLimits.linkPasswordFromEverywhere,
    kind: 'link_password',
    about: 'link',
  },
  { prefix: 'reset-from:', limit: resetLimit, fromEverywhere: null, kind: 'reset', about: 'nobody' },
];

/** As administrators see it: the link by its reference. */
export interface NamedLock extends Omit<Lock, 'linkId'> {
  link: string | null;
}

export async function listLocks(ctx: Ctx, caller: UserCaller): Promise<NamedLock[]> {
  demandRight(caller, 'system.read');
  const locks = (await closedDoors(ctx)).map(({ lock }) => lock);
  const references = await referencesOf(
    ctx,
    locks.flatMap(({ linkId }) => linkId ?? []),
  );
  return locks.map(({ linkId, ...lock }) => ({
    ...lock,
    link: linkId === null ? null : (references.get(linkId) ?? ''),
  }));
}

/** As `networkOf` writes it. What comes before it may be anything that somebody typed. */
const networkAtEnd = /:((?:[0-9a-f]{1,4}:){4}:\/64|(?:\d{1,3}\.){3}\d{1,3})$/;

async function closedDoors(ctx: Ctx): Promise<{ key: string; lock: Lock }[]> {
  const wanted = { now: ctx.clock.now(), limit: mostListed };
  const found = await Promise.all(
    doors.map(async (door) => {
      const closed = await listClosedDoors(ctx.db.read, { prefix: door.prefix, most: door.limit.most, ...wanted });
      return Promise.all(closed.map(async (one) => ({ key: one.key, lock: await describe(ctx, door, one) })));
    }),
  );
  return found.flat().flatMap(({ key, lock }) => (lock === null ? [] : [{ key, lock }]));
}

async function describe(ctx: Ctx, door: Door, { key, failures, closedUntil }: ClosedDoor): Promise<Lock | null> {
  const network = networkAtEnd.exec(key)?.[1] ?? null;
  if (network === null && (door.fromEverywhere === null || failures < door.fromEverywhere.most)) return null;
  const [about = ''] = key.slice(door.prefix.length).split(':');
  const found = door.about === 'user' ? await findUser(ctx.db.read, about) : undefined;
  return {
    id: lockId(ctx, key),
    kind: door.kind === 'sign_in' && network === null ? 'slowed' : door.kind,
    user: found === undefined ? null : { id: found.id, email: found.email, name: found.name },
    linkId: door.about === 'link' ? about : null,
    network,
    failures,
    until: closedUntil,
  };
}

function lockId(ctx: Ctx, key: string): string {
  return ctx.keys.hash('lock', key).toString('base64url').slice(0, 22);
}

export async function removeLock(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  demandRight(caller, 'system.change');
  const door = (await closedDoors(ctx)).find(({ lock }) => lock.id === id);
  if (door === undefined) throw notFound('lock');
  const { key, lock } = door;
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
