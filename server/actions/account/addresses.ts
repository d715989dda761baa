// Confirms addresses of the caller's account with a mailed code.
import { waitIn } from '#language/durations.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { findUser, lockUser, updateUser } from '../../db/users/users.ts';
import { confirmedEmail, givenAddresses, unprovenAddress, unprovenAddresses } from '../../domain/addresses.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import { readEmail, type User } from '../../domain/users.ts';
import type { CodeTarget } from '../codes/code-targets.ts';
import { requestCode } from '../codes/codes.ts';
import { type CodeFailure, spendTypedCode } from '../codes/proving.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import type { Rules } from '../rules.ts';

/** For everything that is sent in the caller's name. */
export function requireConfirmedEmail(caller: UserCaller): void {
  if (confirmedEmail(caller) === null) throw unprovenAddress(caller.email);
}

export async function checkConfirmedEmail(caller: UserCaller, rules: Rules): Promise<void> {
  await rules.check({ code: 'address.unconfirmed', source: 'installation' }, () => requireConfirmedEmail(caller));
}

export async function askAddressCode(ctx: Ctx, caller: UserCaller, input: string): Promise<void> {
  const address = await getUnproven(ctx.db.read, caller, input);
  const asked = await requestCode(ctx, caller, { target: targetOf(caller), address, nonce: nonceOf(caller, address) });
  if (asked.is === 'asked') return;
  throw codeWait(asked.seconds);
}

export function codeWait(seconds: number): Problem {
  return new Problem('rate_limited', 'code.wait', `Wait ${waitIn('en', seconds)}, then ask for another code.`, {
    retryAfterSeconds: seconds,
  });
}

export async function confirmAddress(
  ctx: Ctx,
  caller: UserCaller,
  input: { address: string; code: string },
): Promise<void> {
  const address = await getUnproven(ctx.db.read, caller, input.address);
  const attempt = { target: targetOf(caller), nonce: nonceOf(caller, address), code: input.code };
  const verdict = await spendTypedCode(ctx, attempt, async (tx) => {
    await proveAddress(ctx, tx, caller, { userId: caller.userId, address, way: 'code' });
    return { is: 'right' } as const;
  });
  if (verdict.is !== 'right') throw codeRefusal(verdict);
}

/** Does nothing if the account no longer has the address. */
export async function proveAddress(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  proof: { userId: string; address: string; way: 'code' | 'link' },
): Promise<void> {
  const { userId, address, way } = proof;
  await lockUser(tx, userId);
  const user = await findUser(tx, userId);
  if (user === undefined || !unprovenAddresses(user).includes(address)) return;
  const given = givenAddresses(user);
  const provenAddresses = given.filter(
    (candidate) => candidate === address || user.provenAddresses.includes(candidate),
  );
  await updateUser(tx, userId, { provenAddresses }, ctx.clock.now());
  await record(ctx, tx, caller, {
    action: 'user.address_confirmed',
    object: { kind: 'user', id: userId },
    ownerId: userId,
    facts: { address, way },
  });
}

async function getUnproven(db: Query, caller: UserCaller, input: string): Promise<string> {
  const address = readEmail(input, 'address');
  const user: User | undefined = await findUser(db, caller.userId);
  if (user === undefined || !givenAddresses(user).includes(address))
    throw notFound('address', `${address} is not one of your addresses. Ask your administrator to add it.`).withValues({
      address,
    });
  if (!unprovenAddresses(user).includes(address))
    throw invalid('address.confirmed', `${address} is confirmed already.`, 'address').withValues({ address });
  return address;
}

function targetOf(caller: UserCaller): CodeTarget {
  return `account:${caller.userId}`;
}

/** Bound to the account, because the code may be typed in another browser. */
function nonceOf(caller: UserCaller, address: string): string {
  return `account:${caller.userId}:${address}`;
}

export function codeRefusal(failure: CodeFailure): Problem {
  if (failure.is === 'wrong') {
    const left = failure.attemptsLeft === 1 ? 'one more time' : `${failure.attemptsLeft} more times`;
    return invalid('code.wrong', `That code isn’t right. You can try ${left}.`, 'code').withValues({
      n: failure.attemptsLeft,
    });
  }
  const reasons = {
    'too-many': 'There were too many wrong codes.',
    old: 'This code is too old.',
    used: 'This code was used already.',
    elsewhere: 'No code was sent to this address yet.',
  } as const;
  const failed = failure.is.replace('-', '_');
  return invalid(`code.${failed}`, `${reasons[failure.is]} Ask for a new one.`, 'code');
}
