// Completes a leave: hands over or ends the leaver's transfers, then signs the statement. The open statement holds
// everything needed to resume after a crash.

import { listObjectsSince } from '../../db/across/leaving.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { findStatement, finishStatement, listOpenStatements } from '../../db/statements/statements.ts';
import { countTransfers as countAll, listTransfers } from '../../db/transfers/transfers.ts';
import { findUser, lockUser } from '../../db/users/users.ts';
import { systemCaller, type UserCaller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import {
  countTransfers,
  type EndedAccess,
  type LeaveFindings,
  type NamedPerson,
  type Statement,
} from '../../domain/statements.ts';
import type { TransferFilter, TransferHead, TransferKind, TransferPlace } from '../../domain/transfers.ts';
import type { User } from '../../domain/users.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import type { Ctx } from '../context.ts';
import { openSigner } from '../receipts/signing.ts';
import { callerOf } from '../sessions/identities.ts';
import { stopTransfer } from '../transfers/changes.ts';
import { handOver } from '../transfers/hand-over.ts';
import { everything, scopeOf } from '../transfers/transfers.ts';
import { documentOf, namedPerson, signStatement } from './statements.ts';

/** Stored in the open statement. */
export interface Begun {
  handOverTo: string | null;
  reason: string;
  ended: EndedAccess;
}

interface Leaving {
  statement: Statement;
  user: NamedPerson;
  /** Null ends the transfers. */
  newOwner: User | null;
}

export async function finishLeave(ctx: Ctx, caller: UserCaller, leaving: Leaving): Promise<Statement> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    if (await endTransfers(ctx, caller, leaving)) break;
  }
  return finish(ctx, caller, leaving);
}

/** The request may still run; running both does no harm. */
const graceMs = 60_000;

export async function resumeLeaves(ctx: Ctx): Promise<number> {
  const open = await listOpenStatements(ctx.db.read, ctx.clock.now() - graceMs, batchSize);
  let finished = 0;
  for (const statement of open) {
    const leaver = await findUser(ctx.db.read, statement.aboutUserId);
    const user = leaver ?? { id: statement.aboutUserId, email: '', name: '' };
    const { handOverTo } = begunOf(statement);
    const newOwner = handOverTo === null ? undefined : await findUser(ctx.db.read, handOverTo);
    // The remaining transfers end, and the statement says so.
    const isAble = newOwner?.state === 'active';
    const beginner = (await findUser(ctx.db.read, statement.madeBy)) ?? leaver;
    if (beginner === undefined) continue;
    const caller = callerFor(beginner, statement);
    await finishLeave(ctx, caller, { statement, user, newOwner: isAble ? newOwner : null });
    finished++;
  }
  return finished;
}

/** Completes in the name of the user who began it, even if they have lost the right. */
function callerFor(user: User, { madeBy }: Statement): UserCaller {
  return { ...callerOf(user, systemCaller.from), userId: madeBy, role: 'system_administrator' };
}

function begunOf({ documentText }: Statement): Begun {
  return JSON.parse(documentText) as Begun;
}

const batchSize = 25;
const mostAttempts = 3;
/** Received submissions stay stored, and no one can open them. */
const shared: readonly TransferKind[] = ['message', 'link', 'request'];

/** False when a concurrent change caused a refusal. */
async function endTransfers(ctx: Ctx, caller: UserCaller, { statement, user, newOwner }: Leaving): Promise<boolean> {
  const { reason } = begunOf(statement);
  let before: TransferPlace | null = null;
  let isComplete = true;
  for (;;) {
    const query = {
      ...openOf(user.id, newOwner === null ? shared : everything.kinds),
      scope: await scopeOf(ctx, caller),
    };
    const batch: TransferHead[] = await listTransfers(ctx.db.read, query, { before, limit: batchSize });
    for (const { id } of batch) {
      try {
        if (newOwner === null) await stopTransfer(ctx, caller, id, { reason });
        else await ctx.db.write((tx) => handOver(ctx, tx, caller, { id, newOwner, reason }));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        isComplete = false;
      }
    }
    const last = batch.at(-1);
    if (last === undefined) return isComplete;
    before = { createdAt: last.createdAt, id: last.id };
  }
}

function openOf(ownerId: string, kinds: readonly TransferKind[]): TransferFilter {
  return { ...everything, kinds, ownerId, state: 'open' };
}

async function finish(ctx: Ctx, caller: UserCaller, { statement, user, newOwner }: Leaving): Promise<Statement> {
  const signer = await openSigner(ctx);
  return ctx.db.write(async (tx) => {
    // Serializes concurrent calls: the second finds the finished statement.
    await lockUser(tx, user.id);
    const current = (await findStatement(tx, statement.id))!;
    if (current.state === 'made') return current;
    const findings = await findingsOf(ctx, tx, caller, { statement, user });
    const { id, kind, madeBy } = statement;
    const maker = (await findUser(tx, madeBy)) ?? { id: madeBy, email: '', name: '' };
    const document = documentOf(ctx, {
      id,
      kind,
      maker,
      about: { user: namedPerson(user) },
      findings: { ...findings },
    });
    const signed = await signStatement(ctx, tx, caller, { document, signer });
    const now = ctx.clock.now();
    await finishStatement(tx, id, { ...signed, now });
    if (newOwner !== null && findings.handed_over.transfers.length > 0)
      await notifyNewOwner(ctx, tx, caller, { user, newOwner, findings });
    return { ...statement, ...signed, state: 'made', finishedAt: now };
  });
}

async function findingsOf(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { statement, user }: { statement: Statement; user: NamedPerson },
): Promise<LeaveFindings> {
  const { handOverTo, reason, ended } = begunOf(statement);
  const changed = (actions: string[]) => changedSince(ctx, tx, caller, { user, statement, actions });
  const kept = await countAll(tx, { ...openOf(user.id, ['answer', 'drop']), scope: await scopeOf(ctx, caller) });
  return {
    hand_over_to: handOverTo === null ? null : await nameOf(tx, handOverTo),
    reason,
    ended,
    handed_over: countTransfers(await changed(['transfer.handed_over'])),
    stopped: countTransfers(await changed(['message.revoked', 'link.deleted', 'request.closed'])),
    kept_deliveries: [...kept.values()].reduce((sum, count) => sum + count, 0),
  };
}

async function nameOf(db: Query, id: string): Promise<NamedPerson> {
  return namedPerson((await findUser(db, id)) ?? { id, email: '', name: '' });
}

/** Ordered, so that the same history always gives the same statement. */
async function changedSince(
  ctx: Ctx,
  tx: Query,
  caller: UserCaller,
  { user, statement, actions }: { user: NamedPerson; statement: Statement; actions: string[] },
): Promise<TransferHead[]> {
  const ids = await listObjectsSince(tx, user.id, { afterSeq: statement.begunSeq, actions });
  const found: TransferHead[] = [];
  const scope = await scopeOf(ctx, caller);
  for (let start = 0; start < ids.length; start += 500) {
    const some = ids.slice(start, start + 500);
    found.push(...(await listTransfers(tx, { ...everything, ids: some, scope }, { before: null, limit: 500 })));
  }
  return found.sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
}

async function notifyNewOwner(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { user, newOwner, findings }: { user: NamedPerson; newOwner: User; findings: LeaveFindings },
): Promise<void> {
  const { messages, links, requests, deliveries } = findings.handed_over;
  await queueSecurityNotice(ctx, tx, caller, {
    event: 'transfers-taken-over',
    userId: newOwner.id,
    to: newOwner.email,
    transfers: {
      count: messages + links + requests + deliveries,
      person: user.name === '' ? user.email : user.name,
    },
    reason: findings.reason,
  });
}
