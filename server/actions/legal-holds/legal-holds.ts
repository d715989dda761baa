// Sets and lifts legal holds. A hold does not give access; it only retains bytes.
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
  /** `user`: id or address. `transfer`: reference or id. */
  user?: string | undefined;
  transfer?: string | undefined;
  reason: string;
}

/** `target` is the reference of a transfer, or the id of a user. */
export interface NamedHold extends Omit<LegalHold, 'targetId'> {
  target: string;
}

async function withReferences(ctx: Ctx, holds: LegalHold[]): Promise<NamedHold[]> {
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
  return (await withReferences(ctx, [hold]))[0]!;
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
  const reference = (await findByReference(tx, transfer)) ?? transfer.trim();
  const found = await findActable(ctx, tx, caller, reference);
  return { targetKind: objectKindOf(found), targetId: found.id, ownerId: found.ownerId };
}

/** The job that erases files then deletes what was due. */
export async function endHold(ctx: Ctx, caller: UserCaller, id: string, input: string): Promise<NamedHold> {
  requireRight(caller, 'console.change');
  const reason = requireReason(input);
  const lifted = await ctx.db.write(async (tx) => {
    const hold = await findHold(tx, id);
    if (hold === null || !(await maySee(ctx, caller, hold))) throw notFound('hold');
    const now = ctx.clock.now();
    if (!(await liftHold(tx, id, { reason, by: caller.userId, now })))
      throw invalid('hold.lifted', 'This hold was lifted already.');
    await recordHold(ctx, tx, caller, { action: 'hold.lifted', hold, reason });
    return { ...hold, liftReason: reason, liftedBy: caller.userId, liftedAt: now };
  });
  return (await withReferences(ctx, [lifted]))[0]!;
}

const maxHolds = 1000;

/** Active ones first. */
export async function listAllHolds(ctx: Ctx, caller: UserCaller): Promise<NamedHold[]> {
  requireRight(caller, 'console.read');
  const holds: LegalHold[] = [];
  for (const hold of await listHolds(ctx.db.read, maxHolds)) if (await maySee(ctx, caller, hold)) holds.push(hold);
  return withReferences(ctx, holds);
}

/** Auditors see all holds; administrators those of lower ranks and their own. */
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
