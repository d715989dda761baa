// Somebody leaves: the first transaction ends everything that lets them in, which also cuts what runs on every process;
// then what they shared is handed over or ended, in small transactions. A call that comes again after a lost answer or a
// crash continues where the first one stopped and gets the same statement.

import { findLastSeq } from '../../db/events.ts';
import { countRunningDownloads, deleteAccessOf, listObjectsSince } from '../../db/leaving.ts';
import type { Query, Tx } from '../../db/schema.ts';
import { findLatestStatement, finishStatement, insertStatement } from '../../db/statements.ts';
import { countTransfers as countAll, listTransfers } from '../../db/transfers.ts';
import { listOpenUploadsOf } from '../../db/uploads.ts';
import { findUser, updateUser } from '../../db/users.ts';
import { actingAddresses } from '../../domain/addresses.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { demandRight } from '../../domain/roles.ts';
import { countTransfers, type EndedAccess, type LeaveFindings, type Statement } from '../../domain/statements.ts';
import type { TransferFilter, TransferHead, TransferKind, TransferPlace } from '../../domain/transfers.ts';
import type { User } from '../../domain/users.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { openSigner } from '../receipts/signing.ts';
import { mostIdleMs } from '../sessions/identities.ts';
import { stopTransfer } from '../transfers/changes.ts';
import { findHeir, giveAway } from '../transfers/hand-over.ts';
import { everything, scopeOf } from '../transfers/transfers.ts';
import { abandonUpload } from '../uploads/sessions.ts';
import { demandReason } from '../users/access.ts';
import { findVisible, holdVisible, protectTheLast } from '../users/rights.ts';
import { documentOf, namedPerson, signStatement } from './statements.ts';

export interface LeaveInput {
  /** Id or address of the colleague who gets what they shared; null ends it. */
  handOverTo: string | null;
  reason: string;
}

/** What an open statement remembers. */
interface Begun {
  handOverTo: string | null;
  reason: string;
  ended: EndedAccess;
}

export async function leave(ctx: Ctx, caller: UserCaller, id: string, input: LeaveInput): Promise<Statement> {
  demandRight(caller, 'people.manage');
  const reason = demandReason(input.reason);
  const found = await findVisible(ctx.db.read, caller, id);
  const heir = input.handOverTo === null ? null : await findLeaveHeir(ctx, caller, found, input.handOverTo);
  const statement = await ctx.db.write(async (tx) => {
    const user = await holdVisible(tx, caller, found.id);
    await protectTheLast(tx, caller, user, { role: 'user', isDisabled: true });
    const earlier = await findEarlier(tx, user, heir?.id ?? null);
    return earlier ?? begin(ctx, tx, caller, { user, heir, reason });
  });
  if (statement.state === 'made') return statement;
  await settleTransfers(ctx, caller, found, { heir, reason });
  return finish(ctx, caller, { statement, user: found, heir });
}

async function findLeaveHeir(ctx: Ctx, caller: UserCaller, leaver: User, to: string): Promise<User> {
  const heir = await findHeir(ctx, caller, to);
  if (heir.id === leaver.id)
    throw invalid('leave.heir_is_leaver', 'This is the person who leaves. Choose somebody else.', 'hand_over_to');
  if (leaver.isLocal && !heir.isLocal)
    throw invalid('transfer.heir_outside', 'Transfers of colleagues can be handed over to colleagues only.', 'to');
  return heir;
}

/** The same call again, after a lost answer: what it began or made. Who came back since leaves anew. */
async function findEarlier(tx: Tx, user: User, heirId: string | null): Promise<Statement | null> {
  const latest = await findLatestStatement(tx, user.id, 'leave');
  if (latest === null) return null;
  if (latest.state === 'open') {
    if ((JSON.parse(latest.documentText) as Begun).handOverTo === heirId) return latest;
    throw new Problem(
      'conflict',
      'leave.running',
      'Somebody is doing this already, with other choices. Try again in a moment.',
    );
  }
  const made = JSON.parse(latest.documentText) as { findings: LeaveFindings };
  const isSame = (made.findings.hand_over_to?.id ?? null) === heirId;
  return isSame && user.state === 'disabled' ? latest : null;
}

async function begin(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { user, heir, reason }: { user: User; heir: User | null; reason: string },
): Promise<Statement> {
  const now = ctx.clock.now();
  const begunSeq = await findLastSeq(tx);
  const ended = await endAccess(ctx, tx, user, now);
  const begun: Begun = { handOverTo: heir?.id ?? null, reason, ended };
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
    facts: { statement: statement.id, hand_over_to: heir?.id ?? '', reason },
  });
  return statement;
}

/** Running downloads of their files and of what they fetch are cut because the account is off (db/tickets.ts). */
async function endAccess(ctx: Ctx, tx: Tx, user: User, now: number): Promise<EndedAccess> {
  const addresses = actingAddresses(user);
  const downloads = await countRunningDownloads(tx, user.id, addresses);
  const uploads = await listOpenUploadsOf(tx, user.id);
  for (const upload of uploads) await abandonUpload(ctx, tx, upload);
  const gone = await deleteAccessOf(tx, { userId: user.id, addresses, now, mostIdleMs: mostIdleMs(user) });
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

const batchSize = 25;
/** Without an heir what they sent ends; what was handed in to them is kept, and nobody opens it. */
const shared: readonly TransferKind[] = ['message', 'link', 'request'];

async function settleTransfers(
  ctx: Ctx,
  caller: UserCaller,
  user: User,
  { heir, reason }: { heir: User | null; reason: string },
): Promise<void> {
  let before: TransferPlace | null = null;
  for (;;) {
    const wanted = { ...openOf(user.id, heir === null ? shared : everything.kinds), scope: await scopeOf(ctx, caller) };
    const batch: TransferHead[] = await listTransfers(ctx.db.read, wanted, { before, limit: batchSize });
    for (const { id } of batch) {
      try {
        if (heir === null) await stopTransfer(ctx, caller, id, { reason });
        else await ctx.db.write((tx) => giveAway(ctx, tx, caller, { id, heir, reason }));
      } catch (error) {
        // Ended or moved by somebody else meanwhile.
        if (!(error instanceof Problem)) throw error;
      }
    }
    const last = batch.at(-1);
    if (last === undefined) return;
    before = { createdAt: last.createdAt, id: last.id };
  }
}

function openOf(ownerId: string, kinds: readonly TransferKind[]): TransferFilter {
  return { ...everything, kinds, ownerId, state: 'open' };
}

async function finish(
  ctx: Ctx,
  caller: UserCaller,
  { statement, user, heir }: { statement: Statement; user: User; heir: User | null },
): Promise<Statement> {
  const { reason, ended } = JSON.parse(statement.documentText) as Begun;
  const signer = await openSigner(ctx);
  return ctx.db.write(async (tx) => {
    await holdVisible(tx, caller, user.id);
    const handedOver = await settledSince(ctx, tx, caller, { user, statement, actions: ['transfer.handed_over'] });
    const stopped = await settledSince(ctx, tx, caller, {
      user,
      statement,
      actions: ['message.revoked', 'link.deleted', 'request.closed'],
    });
    const kept = await countAll(tx, { ...openOf(user.id, ['answer', 'drop']), scope: await scopeOf(ctx, caller) });
    const findings: LeaveFindings = {
      hand_over_to: heir === null ? null : namedPerson(heir),
      reason,
      ended,
      handed_over: countTransfers(handedOver),
      stopped: countTransfers(stopped),
      kept_deliveries: [...kept.values()].reduce((sum, count) => sum + count, 0),
    };
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
    if (!(await finishStatement(tx, id, { ...signed, now: ctx.clock.now() })))
      return (await findLatestStatement(tx, user.id, 'leave'))!;
    if (heir !== null && handedOver.length > 0) await tellHeir(ctx, tx, caller, { user, heir, findings });
    return { ...statement, ...signed, state: 'made', finishedAt: ctx.clock.now() };
  });
}

/** In order of time, so that the same history always gives the same statement. */
async function settledSince(
  ctx: Ctx,
  tx: Query,
  caller: UserCaller,
  { user, statement, actions }: { user: User; statement: Statement; actions: string[] },
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

async function tellHeir(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { user, heir, findings }: { user: User; heir: User; findings: LeaveFindings },
): Promise<void> {
  const { messages, links, requests, deliveries } = findings.handed_over;
  await queueSecurityNotice(ctx, tx, caller, {
    event: 'transfers-taken-over',
    userId: heir.id,
    to: heir.email,
    transfers: {
      count: messages + links + requests + deliveries,
      person: user.name === '' ? user.email : user.name,
    },
    reason: findings.reason,
  });
}
