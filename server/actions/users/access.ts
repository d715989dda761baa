// Administrators manage a user's sessions, second step, keys and invitation. The user is notified of security changes.

import { deleteOtherSessions } from '../../db/sessions/sessions.ts';
import { replaceClientKey } from '../../db/users/account-facts.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { endSessionNamed } from '../account/security.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import { readBackApiKey } from '../api-keys/api-keys.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { invite } from '../sessions/one-time-links.ts';
import { readReason } from './addresses.ts';
import { findVisible, holdVisible } from './rights.ts';
import { removeSecondFactor } from './users.ts';

/** `name` selects one session, null all; the caller's own session stays. */
export async function endSessionsOf(ctx: Ctx, caller: UserCaller, id: string, name: string | null): Promise<void> {
  requireRight(caller, 'people.manage');
  const found = await findVisible(ctx.db.read, caller, id);
  await ctx.db.write(async (tx) => {
    const user = await holdVisible(tx, caller, found.id);
    let sessions = 1;
    if (name === null) sessions = await deleteOtherSessions(tx, user.id, caller.sessionHash);
    else await endSessionNamed(ctx, tx, user.id, name);
    if (sessions === 0) return;
    await record(ctx, tx, caller, {
      action: 'session.ended',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
      facts: { sessions },
    });
  });
}

export function resetSecondStep(ctx: Ctx, caller: UserCaller, id: string, reason: string): Promise<void> {
  return removeSecondFactor(ctx, caller, id, requireReason(reason));
}

/** Returns the key in clear. */
export async function readKeyOf(ctx: Ctx, caller: UserCaller, id: string, reason: string): Promise<string> {
  requireRight(caller, 'people.manage');
  const why = requireReason(reason);
  const user = await findVisible(ctx.db.read, caller, id);
  return readBackApiKey(ctx, caller, user.id, why);
}

/** Clients cannot decrypt what they stored with the old key, and ask for a new one. */
export async function renewClientKeyOf(ctx: Ctx, caller: UserCaller, id: string, reason: string): Promise<void> {
  requireRight(caller, 'people.manage');
  const why = requireReason(reason);
  const found = await findVisible(ctx.db.read, caller, id);
  await ctx.db.write(async (tx) => {
    const user = await holdVisible(tx, caller, found.id);
    await replaceClientKey(tx, user.id, ctx.random.id(44), ctx.clock.now());
    await record(ctx, tx, caller, {
      action: 'user.client_key_renewed',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
      facts: { reason: why },
    });
    const notice = { event: 'client-key-changed', userId: user.id, to: user.email, reason: why } as const;
    await queueSecurityNotice(ctx, tx, caller, notice);
  });
}

/** Invalidates the link of the previous invitation. */
export async function inviteAgain(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  requireRight(caller, 'people.manage');
  const found = await findVisible(ctx.db.read, caller, id);
  await ctx.db.write(async (tx) => {
    const user = await holdVisible(tx, caller, found.id);
    if (user.passwordHash !== null || user.state !== 'active')
      throw invalid('user.not_invitable', 'Invite people who have no password yet and are not switched off.');
    await invite(ctx, tx, caller, user);
    await record(ctx, tx, caller, {
      action: 'user.invited',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
      facts: { recipient: user.email },
    });
  });
}

export function requireReason(text: string): string {
  const reason = readReason(text);
  if (reason === '') throw invalid('user.reason_missing', 'Say why: it is kept in the log.', 'reason');
  return reason;
}
