// Links an identity to an account that exists, after proof by the old password or a mailed code, or by an administrator.
import { deleteIdentity, findIdentity, type LinkedIdentity, listIdentitiesOf } from '../../db/identity/identities.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { deleteSessionsOf } from '../../db/sessions/sessions.ts';
import { findUser, lockUser, updateUser } from '../../db/users/users.ts';
import { confirmedEmail } from '../../domain/addresses.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { User } from '../../domain/users.ts';
import { proveAddress } from '../account/addresses.ts';
import { isRightTotp } from '../account/totp.ts';
import { renewAllKeys } from '../api-keys/api-keys.ts';
import { requireAttempt, tryOnce } from '../attempts.ts';
import { type CodeRequest, requestCode } from '../codes/codes.ts';
import { type CodeFailure, spendTypedCode } from '../codes/proving.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { withPassword } from '../sessions/sign-in.ts';
import { placeOf } from '../sessions/sign-in-networks.ts';
import { writeUnique } from '../unique.ts';
import { requireReason } from '../users/access.ts';
import { findVisible, holdVisible } from '../users/rights.ts';
import { signInRefusal } from './refusals.ts';
import { linkIdentity } from './sign-in.ts';

/** A sign-in that waits for proof; sealed in the browser's cookie. */
export interface PendingLink {
  service: { id: string; name: string };
  subject: string;
  userId: string;
  expiresAt: number;
}

export const pendingLinkMs = 15 * 60_000;

export async function findPendingAccount(ctx: Ctx, { userId, expiresAt }: PendingLink): Promise<User | null> {
  if (expiresAt <= ctx.clock.now()) return null;
  const user = await findUser(ctx.db.read, userId);
  return user?.state === 'active' ? user : null;
}

/** The person signs in through the service again afterwards. */
export async function linkWithPassword(
  ctx: Ctx,
  caller: Caller,
  { link, password, code }: { link: PendingLink; password: string; code: string },
): Promise<void> {
  const account = await findPendingAccount(ctx, link);
  if (account === null) throw signInRefusal('changed', link.service);
  const proven = await withPassword(
    ctx,
    caller,
    { login: account.email, password, isOfAccount: true },
    async (_, user) => user,
  );
  // Whoever registered the account in advance also chose its password.
  if (confirmedEmail(proven) === null) throw signInRefusal('link_needs_code', link.service);
  if (proven.totpState === 'on') {
    const attempt = await requireAttempt(ctx, ['secondStep'], await placeOf(ctx, proven.id, caller.from.address));
    if (!(await tryOnce(ctx, attempt, () => isRightTotp(ctx, proven, code))))
      throw signInRefusal('link_wrong_code', link.service);
  }
  await writeUnique(ctx, async (tx) => {
    const user = await holdForLink(tx, link);
    if (user.passwordHash !== proven.passwordHash) throw signInRefusal('changed', link.service);
    await addLink(ctx, tx, caller, { link, way: 'password' });
  });
}

export function requestLinkCode(ctx: Ctx, caller: Caller, link: PendingLink, user: User): Promise<CodeRequest> {
  return requestCode(ctx, caller, { target: `identity:${user.id}`, address: user.email, nonce: nonceOf(link) });
}

/** Ends the old password, all keys and all sessions: someone else may have registered the account. */
export async function linkWithCode(
  ctx: Ctx,
  caller: Caller,
  { link, code }: { link: PendingLink; code: string },
): Promise<{ is: 'right' } | CodeFailure> {
  const typed = { target: `identity:${link.userId}`, nonce: nonceOf(link), code } as const;
  return spendTypedCode(ctx, typed, async (tx) => {
    const user = await holdForLink(tx, link);
    await updateUser(tx, user.id, { passwordHash: null, mustChangePassword: false }, ctx.clock.now());
    await proveAddress(ctx, tx, caller, { userId: user.id, address: user.email, way: 'code' });
    await deleteSessionsOf(tx, user.id);
    await renewAllKeys(ctx, tx, caller, user);
    await addLink(ctx, tx, caller, { link, way: 'code' });
    return { is: 'right' } as const;
  });
}

function nonceOf({ service, subject, userId }: PendingLink): string {
  return JSON.stringify(['identity', service.id, subject, userId]);
}

async function holdForLink(tx: Tx, link: PendingLink): Promise<User> {
  await lockUser(tx, link.userId);
  const user = await findUser(tx, link.userId);
  if (user?.state !== 'active') throw signInRefusal('changed', link.service);
  const others = await listIdentitiesOf(tx, user.id);
  const isTaken = others.some(({ service }) => service === link.service.id);
  if (isTaken || (await findIdentity(tx, link.service.id, link.subject)) !== undefined)
    throw signInRefusal('address_taken', link.service);
  return user;
}

async function addLink(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { link, way }: { link: PendingLink; way: LinkedIdentity['way'] },
): Promise<void> {
  const { service, subject, userId } = link;
  await linkIdentity(ctx, tx, caller, { service, claims: { subject, groups: null }, userId, way });
}

export async function listIdentitiesOfPerson(ctx: Ctx, caller: UserCaller, id: string): Promise<LinkedIdentity[]> {
  requireRight(caller, 'people.manage');
  const user = await findVisible(ctx.db.read, caller, id);
  return listIdentitiesOf(ctx.db.read, user.id);
}

/** For support. Whoever holds the identity can then sign in as the person, so only System Administrators may. */
export async function linkByHand(
  ctx: Ctx,
  caller: UserCaller,
  personId: string,
  input: { service: string; subject: string; reason: string },
): Promise<LinkedIdentity> {
  requireRight(caller, 'system.change');
  const reason = requireReason(input.reason);
  const subject = input.subject.trim();
  if (subject === '' || subject.length > 500)
    throw invalid('identity.bad_subject', 'Enter the id of the person at the service.', 'subject');
  return writeUnique(ctx, async (tx) => {
    const user = await holdVisible(tx, caller, (await findVisible(tx, caller, personId)).id);
    if ((await findIdentity(tx, input.service, subject)) !== undefined)
      throw invalid('identity.taken', 'This identity belongs to an account already.', 'subject');
    const claims = { subject, groups: null };
    const link = { service: { id: input.service }, claims, userId: user.id, way: 'administrator', reason } as const;
    return linkIdentity(ctx, tx, caller, link);
  });
}

export async function unlink(ctx: Ctx, caller: UserCaller, personId: string, identityId: string): Promise<void> {
  requireRight(caller, 'system.change');
  await ctx.db.write(async (tx) => {
    const user = await holdVisible(tx, caller, (await findVisible(tx, caller, personId)).id);
    const found = (await listIdentitiesOf(tx, user.id)).find(({ id }) => id === identityId);
    if (found === undefined) throw notFound('identity');
    await deleteIdentity(tx, user.id, found.id);
    await deleteSessionsOf(tx, user.id);
    await record(ctx, tx, caller, {
      action: 'identity.unlinked',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
      facts: { service: found.service, reason: 'administrator' },
    });
  });
}
