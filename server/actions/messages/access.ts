// Who may open which message, with current data; reading lists, one message, its log; withdrawing it.
import { releaseAttachment } from '../../db/attachments.ts';
import { countReading, findUsedDownloads } from '../../db/download-counters.ts';
import {
  endMessage,
  findMessage,
  listMessageFiles,
  listReceived,
  listRecipients,
  listSent,
  type MessageRow,
} from '../../db/messages.ts';
import { cancelMailsOfMessage } from '../../db/outbox.ts';
import type { Query, Tx } from '../../db/schema.ts';
import { findUser } from '../../db/users.ts';
import { type Admission, admit, audiences, doorOf, type Identity } from '../../domain/audience.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { limitFor, type Message } from '../../domain/messages.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import { publicMailDomains } from '../../domain/public-domains.ts';
import { kindsWith } from '../../mail/kinds/all.ts';
import { eraseFile } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { accountOf } from '../sessions/identities.ts';
import { describeMessage, withoutPrivateText } from './describe.ts';
import { oweReadNotice } from './mails.ts';

export const publicDomains: ReadonlySet<string> = new Set(publicMailDomains);

export type MessageGate = 'allow' | 'needs_proof' | 'not_allowed' | 'expired' | 'revoked' | 'gone';

/** The rules of SM3 and D10 for one visitor; nothing is counted. */
export async function admission(
  db: Query,
  row: MessageRow,
  identity: Identity,
  now: number,
): Promise<{ gate: MessageGate; admission: Admission }> {
  const recipients = await listRecipients(db, row.id);
  const admitted = admit(doorOf(audiences[row.audience]!, recipients), identity, publicDomains);
  const owner = await findUser(db, row.owner_id);
  if (row.state === 'revoked') return { gate: 'revoked', admission: admitted };
  if (row.state === 'released' || row.expires_at <= now) return { gate: 'expired', admission: admitted };
  if (owner === undefined || owner.state !== 'active') return { gate: 'gone', admission: admitted };
  return { gate: admitted.verdict, admission: admitted };
}

export interface MessageVisit {
  gate: MessageGate;
  admission: Admission;
  message: Message;
  isOwner: boolean;
  /** Whom a ticket is handed to: '' when unknown; the account only if the address is one of its own. */
  holder: { address: string; accountId: string | null };
  /** Downloads this visitor has used, per file. */
  used: Map<string, number>;
  /** Downloads this visitor has of each file; null for no limit. */
  downloadLimit: number | null;
  hasRead: boolean;
}

/** What a visitor of the page meets; null when there never was such a message. */
export async function visitMessage(
  ctx: Ctx,
  id: string,
  identity: Identity,
  userId: string | null,
): Promise<MessageVisit | null> {
  const row = await findMessage(ctx.db.read, id);
  if (row === undefined) return null;
  const { gate, admission: admitted } = await admission(ctx.db.read, row, identity, ctx.clock.now());
  const counter = admitted.verdict === 'allow' ? admitted.identity : '';
  const reader = (await listRecipients(ctx.db.read, id)).find((recipient) => recipient.address === counter);
  const isOwner = userId === row.owner_id;
  return {
    gate: isOwner && (gate === 'needs_proof' || gate === 'not_allowed') ? 'allow' : gate,
    admission: admitted,
    message: await describeMessage(ctx, ctx.db.read, row, { showsBcc: isOwner }),
    isOwner,
    holder: holderOf(admitted, identity, userId),
    used: await findUsedDownloads(ctx.db.read, id, counter),
    downloadLimit: limitFor(row.download_limit, reader?.download_limit ?? null),
    hasRead: reader?.read_at != null,
  };
}

function holderOf(admitted: Admission, { account }: Identity, userId: string | null): MessageVisit['holder'] {
  // The owner comes in also where nobody with their address would.
  const address = admitted.verdict === 'allow' ? admitted.address : (account?.address ?? '');
  const isOwn = account !== null && [account.address, ...account.recipientAliases].includes(address);
  return { address, accountId: isOwn ? userId : null };
}

/** The press on "Read message" of a private message: counted under the download limit, told to the sender once. */
export async function readPrivateMessage(ctx: Ctx, caller: Caller, visit: MessageVisit): Promise<void> {
  const { message, admission: admitted } = visit;
  if (admitted.verdict !== 'allow' || !message.isPrivate) throw notFound('message');
  await ctx.db.write(async (tx) => {
    const reading = await countReading(tx, {
      messageId: message.id,
      identity: admitted.identity,
      limit: visit.downloadLimit,
      now: ctx.clock.now(),
    });
    if (reading === null)
      throw new Problem('gone', 'message.used_up', 'This message was opened as often as its sender permits.');
    if (!reading.isFirst) return;
    await record(ctx, tx, caller, {
      action: 'message.read',
      object: { kind: 'message', id: message.id },
      ownerId: message.ownerId,
      facts: { recipient: admitted.identity },
    });
    await oweReadNotice(ctx, tx, message, admitted.address);
  });
}

/** One message for the API: its owner, or a person it may be opened by. Others learn nothing, and nothing is counted. */
export async function getMessage(ctx: Ctx, caller: UserCaller, id: string): Promise<Message> {
  const row = await findMessage(ctx.db.read, id);
  if (row === undefined) throw notFound('message');
  if (row.owner_id === caller.userId) return describeMessage(ctx, ctx.db.read, row, { showsBcc: true });
  const { gate } = await admission(ctx.db.read, row, await identityOf(ctx, caller), ctx.clock.now());
  if (gate !== 'allow') throw notFound('message');
  return withoutPrivateText(await describeMessage(ctx, ctx.db.read, row, { showsBcc: false }), caller.userId);
}

/** The press on "Read message" for programs: the message with its text, counted and told like the press on the page. */
export async function readMessage(ctx: Ctx, caller: UserCaller, id: string): Promise<Message> {
  const visit = await visitMessage(ctx, id, await identityOf(ctx, caller), caller.userId);
  if (visit === null || (visit.gate !== 'allow' && !visit.isOwner)) throw notFound('message');
  if (visit.message.isPrivate && !visit.isOwner) await readPrivateMessage(ctx, caller, visit);
  return visit.message;
}

/** The caller's own address and recipient aliases, as proven by their credentials. */
export async function identityOf(ctx: Ctx, caller: UserCaller): Promise<Identity> {
  const user = await findUser(ctx.db.read, caller.userId);
  return { provenAddresses: [], account: user === undefined ? null : accountOf(user) };
}

export interface ListWanted {
  after: number | null;
  limit: number | null;
}

const pageSize = 50;

export function listSentMessages(ctx: Ctx, caller: UserCaller, wanted: ListWanted): AsyncGenerator<Message[]> {
  return pages(ctx, wanted, true, (before, limit) =>
    listSent(ctx.db.read, caller.userId, { after: wanted.after, before, limit }),
  );
}

/** Messages to the caller: by their address and aliases, answers to their requests, deliveries to their drop page. */
export async function* listInbox(ctx: Ctx, caller: UserCaller, wanted: ListWanted): AsyncGenerator<Message[]> {
  const identity = await identityOf(ctx, caller);
  const addresses =
    identity.account === null ? [caller.email] : [identity.account.address, ...identity.account.recipientAliases];
  const liveAt = ctx.clock.now();
  const received = pages(ctx, wanted, false, (before, limit) =>
    listReceived(ctx.db.read, caller.userId, addresses, { after: wanted.after, before, limit, liveAt }),
  );
  for await (const page of received) yield page.map((message) => withoutPrivateText(message, caller.userId));
}

async function* pages(
  ctx: Ctx,
  wanted: ListWanted,
  showsBcc: boolean,
  read: (before: { createdAt: number; id: string } | null, limit: number) => Promise<MessageRow[]>,
): AsyncGenerator<Message[]> {
  let left = wanted.limit ?? Number.POSITIVE_INFINITY;
  let before: { createdAt: number; id: string } | null = null;
  while (left > 0) {
    const rows = await read(before, Math.min(pageSize, left));
    if (rows.length === 0) return;
    yield await Promise.all(rows.map((row) => describeMessage(ctx, ctx.db.read, row, { showsBcc })));
    const last = rows.at(-1)!;
    before = { createdAt: last.created_at, id: last.id };
    left -= rows.length;
  }
}

/** The owner withdraws the files of a message: at once, for everybody, also for streams that run (state machine SM3). */
export async function revokeMessage(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  const row = await findMessage(ctx.db.read, id);
  if (row === undefined || row.owner_id !== caller.userId) throw notFound('message');
  await ctx.db.write(async (tx) => {
    if (!(await endMessageFiles(ctx, tx, caller, id, 'revoked')))
      throw invalid('message.ended', 'The files of this message are gone already.');
    await cancelMailsOfMessage(tx, id, kindsWith('isToldAfterwards'), ctx.clock.now());
    await record(ctx, tx, caller, {
      action: 'message.revoked',
      object: { kind: 'message', id },
      ownerId: caller.userId,
    });
  });
}

/** Lets go of the files when a message ends. Withdrawing erases at once; expiry leaves them to the grace time. */
export async function endMessageFiles(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  id: string,
  to: 'released' | 'revoked',
  { erases = to === 'revoked' }: { erases?: boolean } = {},
): Promise<boolean> {
  const ended = await endMessage(tx, id, to, ctx.clock.now());
  if (ended === null) return false;
  if (!ended.heldFiles) return true;
  for (const file of await listMessageFiles(tx, id)) {
    const holders = await releaseAttachment(tx, file.id, ctx.clock.uptime() + ctx.settings.surroundings.deleteGraceMs);
    if (holders === 0 && erases) await eraseFile(ctx, tx, caller, file.id);
  }
  return true;
}
