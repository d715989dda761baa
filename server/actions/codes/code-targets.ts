// What a code opens, and what may be said about it. A code is mailed only where the address may open the target.
import { findFileLink } from '../../db/file-links.ts';
import { findMessage, findSubject } from '../../db/messages.ts';
import { listRecipients } from '../../db/recipients.ts';
import { findUser, findUserByEmail } from '../../db/users.ts';
import { actingEmail, unprovenAddresses } from '../../domain/addresses.ts';
import { doorOf, mayBeProven } from '../../domain/audience.ts';
import { messageStateAt } from '../../domain/messages.ts';
import { displayName } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { findFiledrop } from '../filedrops/filedrops.ts';

/** What a code is for: opening `message:<id>` or `link:<id>`, sending to `drop:<name>`, or an address of `account:<id>`. */
export type CodeTarget = `message:${string}` | `link:${string}` | `drop:${string}` | `account:${string}`;

export interface TargetFacts {
  ownerId: string;
  /** Subject of the message; null when it must not be told. */
  about: string | null;
  sharedBy: string;
}

/** Null when no code is to be mailed: the target is not there, or this address may not open it. */
export async function targetFacts(ctx: Ctx, target: CodeTarget, address: string): Promise<TargetFacts | null> {
  const [kind, id] = target.split(/:(.*)/s) as [string, string];
  if (kind === 'account') return accountFacts(ctx, id, address);
  const account = await findUserByEmail(ctx.db.read, address);
  if (account !== undefined && account.state !== 'active' && actingEmail(account) !== null) return null;
  if (kind === 'message') return messageFacts(ctx, id, address);
  if (kind === 'link') {
    const link = await findFileLink(ctx.db.read, id);
    if (link === null || link.state !== 'active' || link.expiresAt <= ctx.clock.now()) return null;
    const owner = await findUser(ctx.db.read, link.ownerId);
    if (owner === undefined || owner.state !== 'active') return null;
    return { ownerId: link.ownerId, about: null, sharedBy: displayName(owner) };
  }
  const drop = await findFiledrop(ctx, id);
  return drop === null ? null : { ownerId: drop.owner.id, about: null, sharedBy: drop.label };
}

/** Only addresses the account was given, and that do not act yet, are to be proven for it. */
async function accountFacts(ctx: Ctx, id: string, address: string): Promise<TargetFacts | null> {
  const user = await findUser(ctx.db.read, id);
  if (user === undefined || user.state !== 'active' || !unprovenAddresses(user).includes(address)) return null;
  const sharedBy = user.name === '' ? user.email : `${user.name} (${user.email})`;
  return { ownerId: id, about: null, sharedBy };
}

async function messageFacts(ctx: Ctx, id: string, address: string): Promise<TargetFacts | null> {
  const message = await findMessage(ctx.db.read, id);
  if (message === undefined || messageStateAt(message, ctx.clock.now()) !== 'active') return null;
  const door = doorOf(message.audience, await listRecipients(ctx.db.read, id));
  // A local user proves themselves by signing in (D10, level 2), so a code for their address opens only what an address opens.
  if (!mayBeProven(door, address)) return null;
  return {
    ownerId: message.ownerId,
    about: message.isPrivate ? null : ((await findSubject(ctx.db.read, id)) ?? null),
    sharedBy: message.senderName === '' ? message.sender : message.senderName,
  };
}
