// Erases a person on request or by law. Unlike deleting an account, it also erases message texts and personal data in
// the log.

import {
  blankTextsOf,
  countWrittenBy,
  findLateTraces,
  removeMentions,
  replaceAddresses,
  replaceId,
} from '../../db/across/erasure.ts';
import { deleteErasure, insertErasure, listErasures, noteSwept } from '../../db/across/erasures.ts';
import { listAttachmentIdsOf } from '../../db/attachments/attachments.ts';
import { findLogHead } from '../../db/evidence/evidence.ts';
import { listFileLinkIdsOf } from '../../db/file-links/file-links.ts';
import { isPersonOnHold } from '../../db/legal-holds/legal-holds.ts';
import { listMessageIdsOf } from '../../db/messages/messages.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { listHoldersOf } from '../../db/users/users.ts';
import { confirmedAddresses } from '../../domain/addresses.ts';
import { systemCaller, type UserCaller } from '../../domain/caller.ts';
import { type Erasure, substituteAddress } from '../../domain/erasures.ts';
import { invalid } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { User } from '../../domain/users.ts';
import { loginName } from '../api-keys/api-keys.ts';
import { forgetAttemptsOf } from '../attempts.ts';
import { recordUserView } from '../audit/views.ts';
import type { Ctx } from '../context.ts';
import { erasePersonFromEvents } from '../evidence/erase.ts';
import { markRewriteDue } from '../system/rewriting.ts';
import { requireReason } from './access.ts';
import { eraseEverythingOf } from './erasure.ts';
import { findVisible } from './rights.ts';
import { deleteUser } from './users.ts';

export interface ErasurePlan {
  messages: number;
  links: number;
  requests: number;
  files: number;
  bytes: number;
}

export async function planErasure(ctx: Ctx, caller: UserCaller, id: string): Promise<ErasurePlan> {
  requireRight(caller, 'people.manage');
  const user = await findVisible(ctx.db.read, caller, id);
  await recordUserView(ctx, caller, user.id);
  return planFor(ctx, user);
}

async function planFor(ctx: Ctx, user: User): Promise<ErasurePlan> {
  const db = ctx.db.read;
  const [messages, links, files, { requests }] = await Promise.all([
    listMessageIdsOf(db, user.id),
    listFileLinkIdsOf(db, user.id),
    listAttachmentIdsOf(db, user.id),
    countWrittenBy(db, user.id),
  ]);
  return {
    messages: messages.length,
    links: links.length,
    requests,
    files: files.length,
    bytes: user.storedBytes,
  };
}

/** Access ends first, so that nothing new is created. */
export async function erasePerson(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  { email, reason }: { email: string; reason: string },
): Promise<ErasurePlan> {
  requireRight(caller, 'people.manage');
  const why = requireReason(reason);
  const user = await findVisible(ctx.db.read, caller, id);
  if (email.trim().toLowerCase() !== user.email.toLowerCase())
    throw invalid('user.erasure_unconfirmed', 'Type the e-mail address of the person whom you want to erase.', 'email');
  const plan = await planFor(ctx, user);
  const erasure = await newErasure(ctx, user);
  const remember = async (tx: Tx) => {
    if (await isPersonOnHold(tx, user.id))
      throw invalid('user.on_hold', 'Something of this person is under a legal hold. Lift the hold first.');
    await insertErasure(tx, erasure);
  };
  await deleteUser(ctx, caller, user.id, { why: 'request', reason: why, remember });
  await sweepTables(ctx, erasure);
  // An open transaction may still commit a lower number, but none below the sealed ones.
  const finalSeq = (await findLogHead(ctx.db.read))?.lastSeq ?? 0;
  // Last, because the steps before record events.
  await erasePersonFromEvents(ctx, caller, erasure);
  await ctx.db.write((tx) => noteSwept(tx, erasure.id, Math.max(finalSeq, 1)));
  return plan;
}

async function newErasure(ctx: Ctx, user: User): Promise<Erasure> {
  const addresses: string[] = [];
  // An unconfirmed alias may belong to another person.
  for (const address of new Set([user.email, ...confirmedAddresses(user)])) {
    // Others may share the address.
    const holders = await listHoldersOf(ctx.db.read, address);
    if (holders.every((holder) => holder.id === user.id)) addresses.push(address);
  }
  return {
    id: `erased-${ctx.random.id().toLowerCase()}`,
    userId: user.id,
    name: user.name,
    addresses,
    substitutes: addresses.map(() => substituteAddress(ctx.random.id())),
    sweptSeq: 0,
    createdAt: ctx.clock.now(),
  };
}

/** Idempotent. */
function sweepTables(ctx: Ctx, erasure: Erasure): Promise<void> {
  const now = ctx.clock.now();
  return ctx.db.write(async (tx) => {
    await blankTextsOf(tx, erasure.userId, now);
    await replaceId(tx, erasure);
    // Before their codes, which say what was counted.
    await forgetAttemptsOf(ctx, tx, erasure.addresses, loginName);
    await replaceAddresses(tx, erasure, now);
    await removeMentions(tx, erasure);
  });
}

/** Second pass: erases traces of requests and mails that ran during the first, and completes interrupted erasures. */
export async function finishErasures(
  ctx: Ctx,
  { before, limit }: { before: number; limit: number },
  forgetMails: (words: string[]) => Promise<void>,
): Promise<number> {
  const erasures = await listErasures(ctx.db.read, before, limit);
  if (erasures.length === 0) return 0;
  const late = await findLateTraces(ctx.db.read, erasures);
  for (const erasure of erasures) {
    const wasInterrupted = erasure.sweptSeq === 0;
    if (wasInterrupted) await eraseEverythingOf(ctx, systemCaller, erasure.userId);
    if (wasInterrupted || late.has(erasure)) await sweepTables(ctx, erasure);
    await erasePersonFromEvents(ctx, systemCaller, erasure, erasure.sweptSeq);
  }
  // A first name alone would match mails of others.
  await forgetMails(erasures.flatMap(({ addresses, name }) => [...addresses, ...(name.includes(' ') ? [name] : [])]));
  await ctx.db.write(async (tx) => {
    for (const { id } of erasures) await deleteErasure(tx, id);
    await markRewriteDue(ctx, tx);
  });
  return erasures.length;
}
