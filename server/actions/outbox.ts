// Queues a mail in the transaction of its cause (architecture invariant 7).
import { countMailsSince, insertMail } from '../db/mail/outbox.ts';
import type { Query, Tx } from '../db/schema/schema.ts';
import { lockUser } from '../db/users/users.ts';
import type { UserCaller } from '../domain/caller.ts';
import { invalid } from '../domain/problem.ts';
import { kindsWith, type MailKind, type MailPayloads } from '../mail/kinds/all.ts';
import type { Ctx } from './context.ts';

export interface NewMail<Kind extends MailKind> {
  kind: Kind;
  to: string;
  payload: MailPayloads[Kind];
  /** The user notified of delivery problems. */
  ownerId: string;
  messageId?: string;
  linkId?: string;
  requestId?: string;
  /** Now if left out. */
  notBefore?: number;
  /** Do not send later, such as a code that has expired. */
  expiresAt?: number;
  /** At most one queued mail per key. */
  groupKey?: string;
}

/** False if a mail of the same group is queued already. */
export async function queueMail<Kind extends MailKind>(ctx: Ctx, tx: Tx, mail: NewMail<Kind>): Promise<boolean> {
  const id = ctx.random.id();
  const now = ctx.clock.now();
  return insertMail(tx, {
    id,
    kind: mail.kind,
    recipient: mail.to,
    ownerId: mail.ownerId,
    messageId: mail.messageId ?? null,
    linkId: mail.linkId ?? null,
    requestId: mail.requestId ?? null,
    groupKey: mail.groupKey ?? null,
    payload: mail.payload,
    dueAt: mail.notBefore ?? now,
    expiresAt: mail.expiresAt ?? null,
    createdAt: now,
  });
}

const mailsPerHour = 500;

/** Exact under concurrent requests. */
export async function requireMailAllowance(ctx: Ctx, tx: Tx, caller: UserCaller, addresses: string[]): Promise<void> {
  await lockUser(tx, caller.userId);
  await requireMailsLeft(ctx, tx, caller, addresses);
}

/** Without the lock: exact only without concurrent sends. */
export async function requireMailsLeft(ctx: Ctx, db: Query, caller: UserCaller, addresses: string[]): Promise<void> {
  const owner = { id: caller.userId, email: caller.email };
  const sent = await countMailsSince(db, owner, kindsWith('isSentByPerson'), ctx.clock.now() - 3_600_000);
  const recipients = addresses.filter((address) => address !== caller.email).length;
  if (recipients === 0 || sent + recipients <= mailsPerHour) return;
  throw invalid(
    'message.mail_limit',
    `You can send to ${mailsPerHour} people an hour. Wait a while, or send fewer at once.`,
    'recipients',
  ).withValues({ n: mailsPerHour });
}
