// Restores access from the command line if mail or the second step is unavailable.

import { deletePasskeysOf } from '../../db/passkeys/passkeys.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { deleteSessionsOf } from '../../db/sessions/sessions.ts';
import { deleteTotpSecret } from '../../db/users/totp.ts';
import { findUserByEmail } from '../../db/users/users.ts';
import { systemCaller } from '../../domain/caller.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import type { User } from '../../domain/users.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import { resetSignInLimits } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { issueLink } from './one-time-links.ts';

/** Returns the URL of a page for choosing a password. */
export async function createRecoveryLink(
  ctx: Ctx,
  address: string,
  { withoutSecondStep }: { withoutSecondStep: boolean },
): Promise<string> {
  const user = await findByAddress(ctx, address);
  if (user.state !== 'active') throw invalid('user.not_active', `The account ${user.email} is switched off.`);
  const about = { object: { kind: 'user', id: user.id }, ownerId: user.id } as const;
  return ctx.db.write(async (tx) => {
    const { url } = await issueLink(ctx, tx, 'reset', user.id);
    await record(ctx, tx, systemCaller, { action: 'password.reset_asked', ...about });
    await resetLocks(ctx, tx, user.id);
    if (withoutSecondStep && (user.totpState !== 'off' || user.passkeyCount > 0)) {
      await deletePasskeysOf(tx, user.id);
      await deleteTotpSecret(tx, user.id);
      await deleteSessionsOf(tx, user.id);
      await record(ctx, tx, systemCaller, { action: 'totp.removed', ...about, facts: { reason: 'operator' } });
      await queueSecurityNotice(ctx, tx, systemCaller, {
        event: 'second-step-changed',
        userId: user.id,
        to: user.email,
      });
    }
    return url;
  });
}

/** False if nothing was locked. */
export async function unlockUser(ctx: Ctx, address: string): Promise<boolean> {
  const { id } = await findByAddress(ctx, address);
  return ctx.db.write((tx) => resetLocks(ctx, tx, id));
}

/** Shown to the operator, so the refusal names the address. */
export async function findByAddress(ctx: Ctx, address: string): Promise<User> {
  const user = await findUserByEmail(ctx.db.read, address.trim().toLowerCase());
  if (user === undefined) throw notFound('user', `Nobody here has the address ${address}.`);
  return user;
}

async function resetLocks(ctx: Ctx, tx: Tx, userId: string): Promise<boolean> {
  if ((await resetSignInLimits(tx, userId)) === 0) return false;
  await record(ctx, tx, systemCaller, {
    action: 'user.unlocked',
    object: { kind: 'user', id: userId },
    ownerId: userId,
    facts: { kind: 'sign_in', network: '' },
  });
  return true;
}
