// Setting and lifting legal holds, each with a reason that the log keeps. Access is not touched: what expired or was
// withdrawn stays closed to everybody; only its bytes are kept until the hold is lifted.
import { findHold, insertHold, liftHold, listHolds } from '../../db/legal-holds/legal-holds.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { LegalHold } from '../../domain/legal-holds.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { isAdministrator, mayManage, requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { findByReference, referencesOf } from '../transfers/references.ts';
import { findActable, objectKindOf } from '../transfers/transfers.ts';
import { requireReason } from '../users/access.ts';
import { findVisible } from '../users/rights.ts';

export interface HoldInput {
  /** Id or address of a person; or the reference or id of a transfer. */
  user?: string | undefined;
  transfer?: string | undefined;
  reason: string;
}

/** With the reference of a transfer that is on hold, and the id of a person. */
export interface NamedHold extends Omit<LegalHold, 'targetId'> {
  target: string;
}

async function named(ctx: Ctx, holds: LegalHold[]): Promise<NamedHold[]> {
  const references = await referencesOf(
    ctx,
    holds.filter(({ targetKind }) => targetKind !== 'user').map(({ targetId }) => targetId),
  );
  return holds.map(({ targetId, ...hold }) => ({
    ...hold,
    target: hold.targetKind === 'user' ? targetId : (references.get(targetId) ?? ''),
  }));
}

export async function setHold(ctx: Ctx, caller: UserCaller, input: HoldInput): Promise<NamedHold> {
  requireRight(caller, 'console.change');
  const reason = requireReason(input.reason);
  const hold = await ctx.db.write(async (tx) => {
    const target = await findTarget(ctx, tx, caller, input);
    const hold: LegalHold = {
      id: ctx.random.id(),
      ...target,
      reason,
      setBy: caller.userId,
      setAt: ctx.clock.now(),
      liftReason: '',
      liftedBy: '',
      liftedAt: null,
    };
    if (!(await insertHold(tx, hold))) throw invalid('hold.already', 'This is on hold already.');
    await recordHold(ctx, tx, caller, { action: 'hold.set', hold, reason });
    return hold;
  });
  return (await named(ctx, [hold]))[0]!;
}

async function findTarget(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { user = '', transfer = '' }: HoldInput,
): Promise<Pick<LegalHold, 'targetKind' | 'targetId' | 'ownerId'>> {
  if ((user.trim() === '') === (transfer.trim() === ''))
    throw invalid('hold.no_target', 'Name one: a person, or a transfer.');
  if (user.trim() !== '') {
    const person = await findVisible(tx, caller, user.trim());
    return { targetKind: 'user', targetId: person.id, ownerId: person.id };
  }
  const named = (await findByReference(tx, transfer)) ?? transfer.trim();
  const found = await findActable(ctx, tx, caller, named);
  return { targetKind: objectKindOf(found), targetId: found.id, ownerId: found.ownerId };
}

/** What was to be deleted meanwhile is deleted by the next run of the job that erases files. */
export async function endHold(ctx: Ctx, caller: UserCaller, id: string, why: string): Promise<NamedHold> {
  requireRight(caller, 'console.change');
  const reason = requireReason(why);
  const lifted = await ctx.db.write(async (tx) => {
    const hold = await findHold(tx, id);
    if (hold === null || !(await maySee(ctx, caller, hold))) throw notFound('hold');
    const now = ctx.clock.now();
    if (!(await liftHold(tx, id, { reason, by: caller.userId, now })))
      throw invalid('hold.lifted', 'This hold was lifted already.');
    await recordHold(ctx, tx, caller, { action: 'hold.lifted', hold, reason });
    return { ...hold, liftReason: reason, liftedBy: caller.userId, liftedAt: now };
  });
  return (await named(ctx, [lifted]))[0]!;
}

const mostHolds = 1000;

/** Those in force first. */
export async function listAllHolds(ctx: Ctx, caller: UserCaller): Promise<NamedHold[]> {
  requireRight(caller, 'console.read');
  const holds: LegalHold[] = [];
  for (const hold of await listHolds(ctx.db.read, mostHolds)) if (await maySee(ctx, caller, hold)) holds.push(hold);
  return named(ctx, holds);
}

/** Auditors see all; administrators those on people below their rank, and on what is their own. */
async function maySee(ctx: Ctx, caller: UserCaller, { ownerId }: LegalHold): Promise<boolean> {
  if (!isAdministrator(caller) || ownerId === caller.userId) return true;
  const owner = await findUser(ctx.db.read, ownerId);
  return owner === undefined || mayManage(caller, owner);
}

async function recordHold(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { action, hold, reason }: { action: 'hold.set' | 'hold.lifted'; hold: LegalHold; reason: string },
): Promise<void> {
  const object = { kind: hold.targetKind, id: hold.targetId };
  await record(ctx, tx, caller, { action, object, ownerId: hold.ownerId, facts: { hold: hold.id, reason } });
}
