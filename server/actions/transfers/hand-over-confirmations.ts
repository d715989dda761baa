// A second System Administrator confirms a hand-over to an account that an administrator could sign in to
// (docs/adr/0106).
import type { Query } from '../../db/schema/schema.ts';
import {
  confirm,
  findConfirmation,
  type HandOverConfirmation,
  listConfirmations,
  replaceConfirmation,
} from '../../db/transfers/hand-over-confirmations.ts';
import { findUser, listSystemAdministrators } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import { isSystemAdministrator, requireRight } from '../../domain/roles.ts';
import type { NamedPerson } from '../../domain/statements.ts';
import { displayName } from '../../domain/users.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { namedPerson } from '../statements/statements.ts';
import { requireReason } from '../users/access.ts';
import { accessMs, listWithAccess } from '../users/account-access.ts';
import { findVisible } from '../users/rights.ts';
import { assertNotSelf } from './hand-over.ts';
import { withReferences } from './references.ts';

export const confirmationLifetimeMs = 7 * 24 * 3_600_000;

export interface DescribedConfirmation {
  id: string;
  state: 'waiting' | 'confirmed' | 'ended';
  askedBy: NamedPerson;
  newOwner: NamedPerson;
  reason: string;
  askedAt: number;
  confirmedBy: NamedPerson | null;
  confirmedAt: number | null;
  mayConfirm: boolean;
}

export async function requestHandOver(
  ctx: Ctx,
  caller: UserCaller,
  { to, reason: why }: { to: string; reason: string },
): Promise<DescribedConfirmation> {
  requireRight(caller, 'console.change');
  const reason = await withReferences(ctx, requireReason(why));
  const newOwner = await findVisible(ctx.db.read, caller, to.trim());
  assertNotSelf(caller, newOwner);
  if ((await listWithAccess(ctx, ctx.db.read, caller, newOwner)).length === 0)
    throw invalid('hand_over.not_needed', 'You can hand over to this person without a confirmation.', 'to');
  const { id: newOwnerId } = newOwner;
  const id = ctx.random.id();
  const now = ctx.clock.now();
  const asked = { id, askedBy: caller.userId, newOwnerId, reason, askedAt: now, confirmedBy: '', confirmedAt: null };
  await ctx.db.write(async (tx) => {
    await replaceConfirmation(tx, asked);
    await record(ctx, tx, caller, {
      action: 'hand_over.confirmation_requested',
      object: { kind: 'user', id: newOwnerId },
      ownerId: newOwnerId,
      facts: { confirmation: id, reason },
    });
    for (const administrator of await listSystemAdministrators(tx))
      if (administrator.id !== caller.userId && administrator.id !== newOwnerId)
        await queueSecurityNotice(ctx, tx, caller, {
          event: 'hand-over-to-confirm',
          userId: administrator.id,
          to: administrator.email,
          account: displayName(newOwner),
          reason,
        });
  });
  return describe(ctx, ctx.db.read, caller, asked);
}

/** The caller neither asked for it nor could sign in to the account. */
export async function confirmHandOver(ctx: Ctx, caller: UserCaller, id: string): Promise<DescribedConfirmation> {
  requireRight(caller, 'system.change');
  return ctx.db.write(async (tx) => {
    const asked = await findConfirmation(tx, id);
    const now = ctx.clock.now();
    if (asked === null || asked.askedAt <= now - confirmationLifetimeMs)
      throw notFound('hand_over_confirmation', 'There is no such hand-over confirmation.');
    if (!(await mayConfirm(ctx, tx, caller, asked)))
      throw new Problem(
        'forbidden',
        'hand_over.not_second',
        'Someone else must confirm this: you asked for it, you would get the transfers, or you could sign in to the account.',
      );
    if (!(await confirm(tx, id, { by: caller.userId, now })))
      throw invalid('hand_over.confirmed', 'This was confirmed already.');
    await record(ctx, tx, caller, {
      action: 'hand_over.confirmed',
      object: { kind: 'user', id: asked.newOwnerId },
      ownerId: asked.newOwnerId,
      facts: { confirmation: id, asked_by: asked.askedBy },
    });
    return describe(ctx, tx, caller, { ...asked, confirmedBy: caller.userId, confirmedAt: now });
  });
}

const maxListed = 200;

export async function listHandOverConfirmations(ctx: Ctx, caller: UserCaller): Promise<DescribedConfirmation[]> {
  requireRight(caller, 'console.change');
  const askedBy = isSystemAdministrator(caller) ? null : caller.userId;
  const found = await listConfirmations(ctx.db.read, { askedBy, limit: maxListed });
  const described: DescribedConfirmation[] = [];
  for (const asked of found) described.push(await describe(ctx, ctx.db.read, caller, asked));
  return described;
}

async function mayConfirm(ctx: Ctx, db: Query, caller: UserCaller, asked: HandOverConfirmation): Promise<boolean> {
  if (!isSystemAdministrator(caller) || caller.userId === asked.askedBy || caller.userId === asked.newOwnerId)
    return false;
  const newOwner = await findUser(db, asked.newOwnerId);
  if (newOwner === undefined) return false;
  return (await listWithAccess(ctx, db, caller, newOwner)).every((access) => access.id !== caller.userId);
}

async function describe(
  ctx: Ctx,
  db: Query,
  caller: UserCaller,
  asked: HandOverConfirmation,
): Promise<DescribedConfirmation> {
  const { id, reason, askedAt, confirmedAt } = asked;
  const now = ctx.clock.now();
  const isOver = confirmedAt === null ? askedAt <= now - confirmationLifetimeMs : confirmedAt <= now - accessMs;
  const nameOf = async (userId: string) =>
    namedPerson((await findUser(db, userId)) ?? { id: userId, email: '', name: '' });
  return {
    id,
    state: isOver ? 'ended' : confirmedAt === null ? 'waiting' : 'confirmed',
    askedBy: await nameOf(asked.askedBy),
    newOwner: await nameOf(asked.newOwnerId),
    reason,
    askedAt,
    confirmedBy: confirmedAt === null ? null : await nameOf(asked.confirmedBy),
    confirmedAt,
    mayConfirm: !isOver && confirmedAt === null && (await mayConfirm(ctx, db, caller, asked)),
  };
}
