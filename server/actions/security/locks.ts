// Sign-ins that are locked after too many failures, and unlocking them.
import { type ClosedDoor, forgetAttempts, listClosedDoors } from '../../db/attempts.ts';
import { findUser } from '../../db/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { demandRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

export interface Lock {
  id: string;
  kind: 'sign_in' | 'slowed' | 'second_step';
  user: { id: string; email: string; name: string } | null;
  /** Null when it counts from everywhere. */
  network: string | null;
  failures: number;
  until: number;
}

const mostListed = 500;
/** Failures that close a door; the same numbers as in `sessions/sign-in.ts` and `account/totp.ts`. */
const closedFrom = { login: 5, loginFromEverywhere: 50, totp: 5 };

export async function listLocks(ctx: Ctx, caller: UserCaller): Promise<Lock[]> {
  demandRight(caller, 'system.read');
  const doors = await closedDoors(ctx);
  const locks = await Promise.all(doors.map((door) => describe(ctx, door)));
  return locks.filter((lock) => lock !== null);
}

/** As `networkOf` writes it. What comes before it may be anything that somebody typed. */
const networkAtEnd = /:((?:[0-9a-f]{1,4}:){4}:\/64|(?:\d{1,3}\.){3}\d{1,3})$/;

async function closedDoors(ctx: Ctx): Promise<ClosedDoor[]> {
  const wanted = { now: ctx.clock.now(), limit: mostListed };
  const [login, totp] = await Promise.all([
    listClosedDoors(ctx.db.read, { prefix: 'login:', most: closedFrom.login, ...wanted }),
    listClosedDoors(ctx.db.read, { prefix: 'totp:', most: closedFrom.totp, ...wanted }),
  ]);
  return [...login, ...totp];
}

async function describe(ctx: Ctx, { key, failures, closedUntil }: ClosedDoor): Promise<Lock | null> {
  const [purpose = '', account = ''] = key.split(':');
  const isFromEverywhere = purpose === 'login' && !networkAtEnd.test(key);
  if (isFromEverywhere && failures < closedFrom.loginFromEverywhere) return null;
  const found = await findUser(ctx.db.read, account);
  return {
    id: lockId(ctx, key),
    kind: purpose === 'totp' ? 'second_step' : isFromEverywhere ? 'slowed' : 'sign_in',
    user: found === undefined ? null : { id: found.id, email: found.email, name: found.name },
    network: networkAtEnd.exec(key)?.[1] ?? null,
    failures,
    until: closedUntil,
  };
}

function lockId(ctx: Ctx, key: string): string {
  return ctx.keys.hash('lock', key).toString('base64url').slice(0, 22);
}

export async function removeLock(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  demandRight(caller, 'system.change');
  const door = (await closedDoors(ctx)).find(({ key }) => lockId(ctx, key) === id);
  const lock = door === undefined ? null : await describe(ctx, door);
  if (door === undefined || lock === null) throw notFound('lock');
  await ctx.db.write(async (tx) => {
    await forgetAttempts(tx, door.key);
    await record(ctx, tx, caller, {
      action: 'user.unlocked',
      object: { kind: 'user', id: lock.user?.id ?? '' },
      ownerId: lock.user?.id ?? '',
      facts: { kind: lock.kind, network: lock.network ?? '' },
    });
  });
}
