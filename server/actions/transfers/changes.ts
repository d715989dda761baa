// Administrators stop or extend transfers of others.
import { findFileLink, updateFileLink } from '../../db/file-links/file-links.ts';
import { cancelMailsOfRequest } from '../../db/file-requests/file-request-lists.ts';
import { findFileRequest, updateFileRequest } from '../../db/file-requests/file-requests.ts';
import { cancelMailsOfMessage } from '../../db/mail/outbox.ts';
import { lockMessage } from '../../db/messages/messages.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { type Expiry, resolveExpiry } from '../../domain/expiry.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import type { TransferHead, TransferKind } from '../../domain/transfers.ts';
import type { User } from '../../domain/users.ts';
import { addDays, dateInWords, dateOf, parseDate } from '../../lib/dates.ts';
import { kindsWith } from '../../mail/kinds/all.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { bindFileAgain } from '../file-links/changes.ts';
import { endLink } from '../file-links/file-links.ts';
import { maxDays } from '../file-requests/file-requests.ts';
import { moveLastDay } from '../messages/changes.ts';
import { endMessageFiles } from '../messages/ending.ts';
import { findActable } from './transfers.ts';

/** Unused files are erased after the grace time. */
export async function stopTransfer(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  { reason }: { reason: string },
): Promise<void> {
  await ctx.db.write(async (tx) => {
    const transfer = await findActable(ctx, tx, caller, id);
    if (transfer.state === 'stopped') throw stopped();
    const { ownerId, state: from } = transfer;
    const facts = { from, to: 'stopped', ...reasonFact(reason) };
    if (transfer.kind === 'link') {
      if (!(await endLink(ctx, tx, caller, { id, to: 'deleted', erases: false }))) throw stopped();
      await record(ctx, tx, caller, { action: 'link.deleted', object: { kind: 'link', id }, ownerId, facts });
    } else if (transfer.kind === 'request') {
      await closeRequest(ctx, tx, id);
      await record(ctx, tx, caller, { action: 'request.closed', object: { kind: 'request', id }, ownerId, facts });
    } else {
      if (!(await endMessageFiles(ctx, tx, caller, { id, to: 'revoked', erases: false }))) throw stopped();
      await cancelMailsOfMessage(tx, id, kindsWith('reportsPastEvent'), ctx.clock.now());
      await record(ctx, tx, caller, { action: 'message.revoked', object: { kind: 'message', id }, ownerId, facts });
    }
  });
}

async function closeRequest(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  const request = (await findFileRequest(tx, id))!;
  if (!(await updateFileRequest(tx, request, { state: 'closed' }, ctx.clock.now()))) throw changed();
  await cancelMailsOfRequest(tx, id, ctx.clock.now());
}

/** Revives an expired transfer while its files are stored. */
export async function extendTransfer(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  { expiresOn, reason }: { expiresOn: string; reason: string },
): Promise<void> {
  await ctx.db.write(async (tx) => {
    const transfer = await findActable(ctx, tx, caller, id);
    const { ownerId, expiresOn: from } = transfer;
    if (transfer.state === 'stopped') throw stopped();
    if (transfer.state === 'answered')
      throw invalid('transfer.answered', 'This request has been answered. Its owner can ask again.');
    const expiry = resolveNewDay(ctx, await findUser(tx, ownerId), transfer, expiresOn);
    const facts = { from, ...reasonFact(reason) };
    if (transfer.kind === 'link') {
      await extendLink(ctx, tx, id, expiry);
      await record(ctx, tx, caller, {
        action: 'link.changed',
        object: { kind: 'link', id },
        ownerId,
        facts: { ...facts, expires: expiry.on },
      });
    } else if (transfer.kind === 'request') {
      const request = (await findFileRequest(tx, id))!;
      if (!(await updateFileRequest(tx, request, { expiry }, ctx.clock.now()))) throw changed();
      await record(ctx, tx, caller, {
        action: 'request.extended',
        object: { kind: 'request', id },
        ownerId,
        facts: { ...facts, expires: expiry.on },
      });
    } else {
      await moveLastDay(ctx, tx, (await lockMessage(tx, id))!, expiry);
      await record(ctx, tx, caller, {
        action: 'message.extended',
        object: { kind: 'message', id },
        ownerId,
        facts: { ...facts, to: expiry.on },
      });
    }
  });
}

async function extendLink(ctx: Ctx, tx: Tx, id: string, expiry: Expiry): Promise<void> {
  const link = (await findFileLink(tx, id))!;
  if (!(await updateFileLink(tx, link, { expiresOn: expiry.on, expiresAt: expiry.at }, ctx.clock.now())))
    throw changed();
  if (link.state === 'released') await bindFileAgain(tx, link);
}

function mostDays({ policy }: User, kind: TransferKind): number {
  if (kind === 'request') return maxDays;
  return kind === 'link' ? policy.filelink_max_expiration : policy.message_max_expiration;
}

/** Administrators may change the date where users may not, up to the group's limit. */
function resolveNewDay(ctx: Ctx, owner: User | undefined, transfer: TransferHead, expiresOn: string): Expiry {
  if (owner === undefined)
    throw invalid('transfer.owner_gone', 'The account this belongs to is deleted, so it can’t be extended.');
  if (expiresOn === '')
    throw invalid('transfer.bad_date', 'The expiry date must be a real date written as YYYY-MM-DD.', 'expires_at');
  const most = mostDays(owner, transfer.kind);
  const { timeZone } = ctx.settings.surroundings;
  const last = addDays(dateOf(ctx.clock.now(), timeZone), most);
  if (parseDate(expiresOn) !== null && expiresOn > last)
    throw invalid(
      'transfer.expiry_too_late',
      `The expiry date is too far ahead for the group of its owner. Choose a date up to ${dateInWords(last)}.`,
      'expires_at',
    ).withValues({ date: { date: last } });
  const expiry = resolveExpiry({
    input: expiresOn,
    defaultDays: most,
    maxDays: most,
    mayChange: true,
    now: ctx.clock.now(),
    timeZone,
    noun: transfer.kind === 'link' || transfer.kind === 'request' ? transfer.kind : 'message',
  });
  if (expiry.on <= transfer.expiresOn)
    throw invalid(
      'transfer.not_later',
      `It is available until ${dateInWords(transfer.expiresOn)}. Choose a later date.`,
      'expires_at',
    ).withValues({ date: { date: transfer.expiresOn } });
  return expiry;
}

export function reasonFact(reason: string): { reason?: string } {
  return reason === '' ? {} : { reason };
}

export function stopped(): Problem {
  return invalid('transfer.stopped', 'This was stopped already.');
}

export function changed(): Problem {
  return new Problem('conflict', 'transfer.changed', 'Someone changed this just now. Reload it.');
}
