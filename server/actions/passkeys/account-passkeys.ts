// Passkeys of the caller's account.
import { deletePasskey, listPasskeys, renamePasskey } from '../../db/passkeys/passkeys.ts';
import { findSession } from '../../db/sessions/sessions.ts';
import { findUser } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Passkey } from '../../domain/passkeys.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { displayName } from '../../domain/users.ts';
import { requirePassword } from '../account/security.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import type { Ctx } from '../context.ts';
import { recordPasskey } from './assertions.ts';
import { type CreationOptions, enrol, enrolmentOptions, readPasskeyName } from './enrolment.ts';

export function listOwnPasskeys(ctx: Ctx, caller: UserCaller): Promise<Passkey[]> {
  return listPasskeys(ctx.db.read, { userId: caller.userId });
}

const freshMs = 15 * 60_000;

/** The password; people without one must have signed in recently. */
export async function requireOwner(ctx: Ctx, caller: UserCaller, password: string): Promise<void> {
  const user = await findUser(ctx.db.read, caller.userId);
  if (user === undefined || user.passwordHash !== null)
    return void (await requirePassword(ctx, caller, password, 'password'));
  const now = ctx.clock.now();
  const session = caller.sessionHash === null ? undefined : await findSession(ctx.db.read, caller.sessionHash, now);
  if (session === undefined || session.createdAt + freshMs < now)
    throw invalid('password.sign_in_again', 'Sign out and in again, then repeat this within 15 minutes.', 'password');
}

const holderOf = (caller: UserCaller) => ({
  holder: { userId: caller.userId },
  session: caller.sessionHash?.toString('hex') ?? caller.apiKeyId ?? '',
});

export function startOwnPasskey(ctx: Ctx, caller: UserCaller): Promise<CreationOptions> {
  const label = { name: caller.email, displayName: displayName(caller) };
  return enrolmentOptions(ctx, holderOf(caller), label);
}

/** Only with the challenge that the password opened. */
export function addOwnPasskey(
  ctx: Ctx,
  caller: UserCaller,
  input: { credential: string; name: string },
): Promise<Passkey> {
  return enrol(ctx, { ...holderOf(caller), ...input }, async (tx, passkey) => {
    await recordPasskey(ctx, tx, caller, { passkey, action: 'passkey.created' });
    await queueSecurityNotice(ctx, tx, caller, {
      event: 'second-step-changed',
      userId: caller.userId,
      to: caller.email,
    });
    return { ...passkey, lastUsedAt: null, lastUsedAddress: '' };
  });
}

async function getOwn(ctx: Ctx, caller: UserCaller, id: string): Promise<Passkey> {
  const found = (await listOwnPasskeys(ctx, caller)).find((passkey) => passkey.id === id);
  if (found === undefined) throw notFound('passkey');
  return found;
}

export async function renameOwnPasskey(ctx: Ctx, caller: UserCaller, id: string, text: string): Promise<Passkey> {
  const passkey = { ...(await getOwn(ctx, caller, id)), name: readPasskeyName(text) };
  await ctx.db.write(async (tx) => {
    await renamePasskey(tx, id, passkey.name);
    await recordPasskey(ctx, tx, caller, { passkey, action: 'passkey.renamed' });
  });
  return passkey;
}

export async function removeOwnPasskey(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  const passkey = await getOwn(ctx, caller, id);
  await ctx.db.write(async (tx) => {
    if (!(await deletePasskey(tx, passkey))) throw notFound('passkey');
    await recordPasskey(ctx, tx, caller, { passkey, action: 'passkey.removed' });
    await queueSecurityNotice(ctx, tx, caller, {
      event: 'second-step-changed',
      userId: caller.userId,
      to: caller.email,
    });
  });
}
