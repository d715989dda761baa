// A user leaves: one transaction ends their access and cuts running transfers. A repeated call returns the same
// statement.

import { countRunningDownloads, deleteAccessOf } from '../../db/across/leaving.ts';
import { findLastSeq, listEventsOf } from '../../db/events/events.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findLatestStatement, insertStatement } from '../../db/statements/statements.ts';
import { listOpenUploadsOf } from '../../db/uploads/uploads.ts';
import { updateUser } from '../../db/users/users.ts';
import { confirmedAddresses } from '../../domain/addresses.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Changes } from '../../domain/event-facts.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { EndedAccess, LeaveFindings, Statement } from '../../domain/statements.ts';
import type { User } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { maxIdleMs } from '../sessions/identities.ts';
import { findNewOwner } from '../transfers/hand-over.ts';
import { abandonUpload } from '../uploads/sessions.ts';
import { requireReason } from '../users/access.ts';
import { findVisible, holdVisible, protectLastAdministrator } from '../users/rights.ts';
import { type Begun, finishLeave } from './finish-leave.ts';
import { withoutIds } from './statements.ts';

export interface LeaveInput {
  /** Id or address of a colleague; null ends the transfers. */
  handOverTo: string | null;
  reason: string;
}

export async function leave(ctx: Ctx, caller: UserCaller, id: string, input: LeaveInput): Promise<Statement> {
  requireRight(caller, 'people.manage');
  const reason = requireReason(input.reason);
  const found = await findVisible(ctx.db.read, caller, id);
  const newOwner = input.handOverTo === null ? null : await findNewOwnerForLeave(ctx, caller, found, input.handOverTo);
  const statement = await ctx.db.write(async (tx) => {
    const user = await holdVisible(tx, caller, found.id);
    await protectLastAdministrator(tx, caller, user, { role: 'user', isDisabled: true });
    const earlier = await findEarlier(tx, user, newOwner?.id ?? null);
    return earlier ?? begin(ctx, tx, caller, { user, newOwner, reason });
  });
  if (statement.state === 'made') return withoutIds(ctx, statement);
  return finishLeave(ctx, caller, { statement, user: found, newOwner });
}

async function findNewOwnerForLeave(ctx: Ctx, caller: UserCaller, leaver: User, to: string): Promise<User> {
  const newOwner = await findNewOwner(ctx, caller, to);
  if (newOwner.id === leaver.id)
    throw invalid('leave.heir_is_leaver', 'This is the person who leaves. Choose someone else.', 'hand_over_to');
  if (leaver.isLocal && !newOwner.isLocal)
    throw invalid('transfer.heir_outside', 'Transfers of colleagues can be handed over to colleagues only.', 'to');
  return newOwner;
}

/** A user who was enabled since then leaves again. */
async function findEarlier(tx: Tx, user: User, heirId: string | null): Promise<Statement | null> {
  const latest = await findLatestStatement(tx, user.id, 'leave');
  if (latest === null) return null;
  if (latest.state === 'open') {
    if ((JSON.parse(latest.documentText) as Begun).handOverTo === heirId) return latest;
    throw new Problem(
      'conflict',
      'leave.running',
      'Someone is doing this already, with other choices. Try again in a moment.',
    );
  }
  const made = JSON.parse(latest.documentText) as { findings: LeaveFindings };
  const isSame = (made.findings.hand_over_to?.id ?? null) === heirId;
  if (!isSame || user.state !== 'disabled') return null;
  return (await wasEnabledSince(tx, user, latest)) ? null : latest;
}

const maxEvents = 200;

/** Transfers created in between are in no statement. */
async function wasEnabledSince(tx: Tx, { id }: User, { begunSeq }: Statement): Promise<boolean> {
  const changes = await listEventsOf(tx, { kind: 'user', id }, ['user.changed'], { size: maxEvents });
  return changes.some(({ seq, facts }) => {
    const { disabled } = (facts.changes ?? {}) as Changes;
    return seq > begunSeq && disabled?.to === false;
  });
}

async function begin(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { user, newOwner, reason }: { user: User; newOwner: User | null; reason: string },
): Promise<Statement> {
  const now = ctx.clock.now();
  const begunSeq = await findLastSeq(tx);
  const ended = await endAccess(ctx, tx, caller, user);
  const begun: Begun = { handOverTo: newOwner?.id ?? null, reason, ended };
  const statement: Statement = {
    id: ctx.random.id(),
    kind: 'leave',
    state: 'open',
    aboutUserId: user.id,
    madeBy: caller.userId,
    begunSeq,
    documentText: JSON.stringify(begun),
    note: '',
    createdAt: now,
    finishedAt: null,
  };
  await insertStatement(tx, statement);
  await record(ctx, tx, caller, {
    action: 'user.left',
    object: { kind: 'user', id: user.id },
    ownerId: user.id,
    facts: { statement: statement.id, hand_over_to: newOwner?.id ?? '', reason },
  });
  return statement;
}

/** Disabling the account also cuts their downloads (db/downloads/tickets.ts). */
async function endAccess(ctx: Ctx, tx: Tx, caller: UserCaller, user: User): Promise<EndedAccess> {
  const now = ctx.clock.now();
  const addresses = confirmedAddresses(user);
  const downloads = await countRunningDownloads(tx, user.id, addresses);
  const uploads = await listOpenUploadsOf(tx, user.id);
  for (const upload of uploads) await abandonUpload(ctx, tx, upload);
  const gone = await deleteAccessOf(tx, { userId: user.id, addresses, now, maxIdleMs: maxIdleMs(user) });
  // Later statements read the key's end from this event.
  for (const id of gone.apiKeyIds)
    await record(ctx, tx, caller, { action: 'api_key.revoked', object: { kind: 'api_key', id }, ownerId: user.id });
  await updateUser(tx, user.id, { state: 'disabled', isDropOpen: false }, now);
  return {
    api_keys: gone.apiKeys,
    sessions: gone.sessions,
    password_links: gone.passwordLinks,
    proven_browsers: gone.provenBrowsers,
    drop_page: user.isDropOpen && (user.policy.filedrop_random || user.policy.filedrop_email),
    drop_keys: gone.dropKeys,
    uploads: uploads.length,
    downloads,
  };
}
