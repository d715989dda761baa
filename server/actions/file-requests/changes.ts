// Changes an owner makes to a File Request: remind, close, extend, reopen.
import { cancelMailsOfRequest } from '../../db/file-requests/file-request-lists.ts';
import { findFileRequest, type RequestChanges, updateFileRequest } from '../../db/file-requests/file-requests.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { FileRequest } from '../../domain/file-requests.ts';
import { requestAt, type StoredRequest } from '../../domain/file-requests.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { requireMailAllowance } from '../outbox.ts';
import { assertMayRequest, queueRequestMail, requestClosedSentence, resolveRequestExpiry } from './file-requests.ts';
import { findOwnRequest, remindersOf } from './lists.ts';

/** Once a day, as often as the group permits. Exact under concurrency: the mail-allowance lock serializes senders. */
export async function remindRequest(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  assertMayRequest(caller);
  await ctx.db.write(async (tx) => {
    const request = requestAt(await findOwnRequest(tx, caller, id), ctx.clock.now());
    if (request.state !== 'open') throw notOpen(request.state);
    await requireMailAllowance(ctx, tx, caller, [request.recipient]);
    const { sent, most, nextAt } = await remindersOf(tx, caller, request, ctx.clock.now());
    if (nextAt === null)
      throw invalid(
        'request.reminders_used',
        most === 0
          ? 'Your group can’t send reminders.'
          : `You have reminded them ${sent === 1 ? 'once' : `${sent} times`}; that is as often as your group permits.`,
      ).withValues({ n: most === 0 ? 0 : sent });
    if (nextAt > ctx.clock.now())
      throw invalid(
        'request.reminded_lately',
        'They had an e-mail about this within the last day. Remind them tomorrow.',
      );
    await queueRequestMail(ctx, tx, caller, { request, to: request.recipient });
    await record(ctx, tx, caller, {
      ...about(caller, id),
      action: 'request.reminded',
      facts: { recipient: request.recipient },
    });
  });
}

/** Ends deliveries immediately; received ones remain. */
export async function closeRequest(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  assertMayRequest(caller);
  await ctx.db.write(async (tx) => {
    const request = await findOwnRequest(tx, caller, id);
    if (request.state !== 'open') throw notOpen(request.state);
    await change(ctx, tx, request, { state: 'closed' });
    await cancelMailsOfRequest(tx, id, ctx.clock.now());
    await record(ctx, tx, caller, { ...about(caller, id), action: 'request.closed' });
  });
}

/** For an open or expired request. */
export async function extendRequest(ctx: Ctx, caller: UserCaller, id: string, expiresOn: string): Promise<void> {
  assertMayRequest(caller);
  if (expiresOn === '')
    throw invalid('request.bad_date', 'The expiry date must be a real date written as YYYY-MM-DD.', 'expires_at');
  const expiry = resolveRequestExpiry(ctx, caller, expiresOn);
  await ctx.db.write(async (tx) => {
    const request = await findOwnRequest(tx, caller, id);
    if (request.state !== 'open') throw notOpen(request.state);
    await change(ctx, tx, request, { expiry });
    const facts = { from: request.expiresOn, expires: expiry.on };
    await record(ctx, tx, caller, { ...about(caller, id), action: 'request.extended', facts });
  });
}

/** Reopens an answered, closed or expired request. */
export async function reopenRequest(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  input: { expiresOn?: string | undefined; sendEmail: boolean },
): Promise<void> {
  assertMayRequest(caller);
  const expiry = resolveRequestExpiry(ctx, caller, input.expiresOn);
  await ctx.db.write(async (tx) => {
    const current = await findOwnRequest(tx, caller, id);
    if (requestAt(current, ctx.clock.now()).state === 'open')
      throw invalid('request.still_open', 'This request is open. Extend it, or send a reminder.');
    if (input.sendEmail) await requireMailAllowance(ctx, tx, caller, [current.recipient]);
    await change(ctx, tx, current, { state: 'open', expiry });
    const request = (await findFileRequest(tx, id))!;
    if (input.sendEmail) await queueRequestMail(ctx, tx, caller, { request, to: request.recipient });
    await record(ctx, tx, caller, {
      ...about(caller, id),
      action: 'request.reopened',
      facts: { from: current.expiresOn, expires: expiry.on, mailed: input.sendEmail },
    });
  });
}

/** The update's condition protects a concurrent answer. */
async function change(ctx: Ctx, tx: Tx, current: StoredRequest, changes: RequestChanges): Promise<void> {
  if (await updateFileRequest(tx, current, changes, ctx.clock.now())) return;
  throw new Problem('conflict', 'request.changed', 'This request was answered or changed just now. Look at it again.');
}

function about(caller: UserCaller, id: string) {
  return { object: { kind: 'request', id }, ownerId: caller.userId } as const;
}

function notOpen(state: FileRequest['state']): Problem {
  return invalid('request.not_open', requestClosedSentence(state)).withValues({ state });
}
