// What a code opens, and what may be said about it. A code is mailed only where the address may open the target.
import { findFileLink } from '../../db/file-links/file-links.ts';
import { findMessage, findSubject } from '../../db/messages/messages.ts';
import { listRecipients } from '../../db/messages/recipients.ts';
import type { Query } from '../../db/schema/schema.ts';
import { findUser, listHoldersOf } from '../../db/users/users.ts';
import { confirmedAddresses, unprovenAddresses } from '../../domain/addresses.ts';
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

export interface TargetLook {
  /** Somebody could open it. */
  isThere: boolean;
  /** Null when no code is to be mailed: it is not there, or this address may not open it. */
  facts: TargetFacts | null;
}

const notThere: TargetLook = { isThere: false, facts: null };

export async function lookAtTarget(ctx: Ctx, target: CodeTarget, address: string): Promise<TargetLook> {
  const [kind, id] = target.split(/:(.*)/s) as [string, string];
  if (kind === 'account') return accountLook(ctx, id, address);
  const { isThere, facts } = await lookInside(ctx, kind, id, address);
  // Asked in any case: how long the answer takes must not tell who may open something.
  const isOff = await isSwitchedOff(ctx, address);
  return { isThere, facts: isOff ? null : facts };
}

/** It acts for accounts, as their own address or an alias, and all of them are switched off. */
async function isSwitchedOff(ctx: Ctx, address: string): Promise<boolean> {
  const holders = (await listHoldersOf(ctx.db.read, address)).filter((user) =>
    confirmedAddresses(user).includes(address),
  );
  return holders.length > 0 && holders.every(({ state }) => state !== 'active');
}

/** The owner of the message or link that a code opens; empty for other targets and for what is gone. */
export async function findTargetOwner(db: Query, target: CodeTarget): Promise<string> {
  const [kind, id] = target.split(/:(.*)/s) as [string, string];
  if (kind === 'message') return (await findMessage(db, id))?.ownerId ?? '';
  return kind === 'link' ? ((await findFileLink(db, id))?.ownerId ?? '') : '';
}

function lookInside(ctx: Ctx, kind: string, id: string, address: string): Promise<TargetLook> {
  if (kind === 'message') return messageLook(ctx, id, address);
  return kind === 'link' ? linkLook(ctx, id) : dropLook(ctx, id);
}

/** Only addresses the account was given, and that do not act yet, are to be proven for it. */
async function accountLook(ctx: Ctx, id: string, address: string): Promise<TargetLook> {
  const user = await findUser(ctx.db.read, id);
  if (user === undefined || user.state !== 'active') return notThere;
  if (!unprovenAddresses(user).includes(address)) return { isThere: true, facts: null };
  const sharedBy = user.name === '' ? user.email : `${user.name} (${user.email})`;
  return { isThere: true, facts: { ownerId: id, about: null, sharedBy } };
}

async function messageLook(ctx: Ctx, id: string, address: string): Promise<TargetLook> {
  const message = await findMessage(ctx.db.read, id);
  if (message === undefined || messageStateAt(message, ctx.clock.now()) !== 'active') return notThere;
  const door = doorOf(message.audience, await listRecipients(ctx.db.read, id));
  // A local user proves themselves by signing in (D10, level 2), so a code for their address opens only what an address opens.
  if (!mayBeProven(door, address)) return { isThere: true, facts: null };
  const facts = {
    ownerId: message.ownerId,
    about: message.isPrivate ? null : ((await findSubject(ctx.db.read, id)) ?? null),
    sharedBy: message.senderName === '' ? message.sender : message.senderName,
  };
  return { isThere: true, facts };
}

async function linkLook(ctx: Ctx, id: string): Promise<TargetLook> {
  const link = await findFileLink(ctx.db.read, id);
  if (link === null || link.state !== 'active' || link.expiresAt <= ctx.clock.now()) return notThere;
  const owner = await findUser(ctx.db.read, link.ownerId);
  if (owner === undefined || owner.state !== 'active') return notThere;
  return { isThere: true, facts: { ownerId: link.ownerId, about: null, sharedBy: displayName(owner) } };
}

async function dropLook(ctx: Ctx, name: string): Promise<TargetLook> {
  const drop = await findFiledrop(ctx, name);
  if (drop === null) return notThere;
  return { isThere: true, facts: { ownerId: drop.owner.id, about: null, sharedBy: drop.label } };
}
