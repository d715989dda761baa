// What a code gives access to. A code is mailed only if the address may open its target.
import { findFileLink } from '../../db/file-links/file-links.ts';
import { findMessage, findSubject } from '../../db/messages/messages.ts';
import { listRecipients } from '../../db/messages/recipients.ts';
import type { Query } from '../../db/schema/schema.ts';
import { findUser, listHoldersOf } from '../../db/users/users.ts';
import { confirmedAddresses, unprovenAddresses } from '../../domain/addresses.ts';
import { accessListOf, mayBeProven } from '../../domain/audience.ts';
import { isInReview, messageStateAt } from '../../domain/messages.ts';
import type { Policy } from '../../domain/policy.ts';
import { displayName } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { findFiledrop } from '../filedrops/filedrops.ts';
import { isPasskeyRequired } from '../passkeys/requirement.ts';

/**
 * `message:<id>`, `link:<id>`, `drop:<name>` to send to, `account:<id>` to confirm an
 * address, or `identity:<id>` to connect an account with a sign-in service.
 */
export type CodeTarget =
  | `message:${string}`
  | `link:${string}`
  | `drop:${string}`
  | `account:${string}`
  | `identity:${string}`;

export interface TargetFacts {
  ownerId: string;
  /** Subject of the message; null if it must not be disclosed. */
  about: string | null;
  sharedBy: string;
}

export interface TargetCheck {
  isThere: boolean;
  /** Null if no code is mailed: the target does not exist, or this address may not open it. */
  facts: TargetFacts | null;
}

const notThere: TargetCheck = { isThere: false, facts: null };

export async function checkTarget(ctx: Ctx, target: CodeTarget, address: string): Promise<TargetCheck> {
  const [kind, id] = target.split(/:(.*)/s) as [string, string];
  if (kind === 'account') return checkAccount(ctx, id, address);
  if (kind === 'identity') return checkIdentity(ctx, id, address);
  const { isThere, facts } = await checkOpening(ctx, target, address);
  const isRequired = await isPasskeyRequired(ctx.db.read, facts?.ownerId ?? '', address);
  return { isThere, facts: isRequired ? null : facts };
}

/** Of messages, links and drop pages, however the address is proven. */
export async function checkOpening(ctx: Ctx, target: CodeTarget, address: string): Promise<TargetCheck> {
  const [kind, id] = target.split(/:(.*)/s) as [string, string];
  const { isThere, facts } = await checkContent(ctx, kind, id, address);
  // Checked in every case, so that timing reveals nothing.
  const isOff = await isSwitchedOff(ctx, address);
  return { isThere, facts: isOff ? null : facts };
}

/** A confirmed address of accounts that are all disabled. */
export async function isSwitchedOff(ctx: Ctx, address: string): Promise<boolean> {
  const holders = (await listHoldersOf(ctx.db.read, address)).filter((user) =>
    confirmedAddresses(user).includes(address),
  );
  return holders.length > 0 && holders.every(({ state }) => state !== 'active');
}

export async function findTargetOwner(db: Query, target: CodeTarget): Promise<string> {
  const [kind, id] = target.split(/:(.*)/s) as [string, string];
  if (kind === 'message') return (await findMessage(db, id))?.ownerId ?? '';
  return kind === 'link' ? ((await findFileLink(db, id))?.ownerId ?? '') : '';
}

export async function findTargetPolicy(ctx: Ctx, target: CodeTarget): Promise<Policy | undefined> {
  if (target.startsWith('drop:')) return (await findFiledrop(ctx, target.slice('drop:'.length)))?.owner.policy;
  return (await findUser(ctx.db.read, await findTargetOwner(ctx.db.read, target)))?.policy;
}

function checkContent(ctx: Ctx, kind: string, id: string, address: string): Promise<TargetCheck> {
  if (kind === 'message') return checkMessage(ctx, id, address);
  return kind === 'link' ? checkLink(ctx, id) : checkDrop(ctx, id);
}

/** Only unconfirmed addresses of the account. */
async function checkAccount(ctx: Ctx, id: string, address: string): Promise<TargetCheck> {
  const user = await findUser(ctx.db.read, id);
  if (user === undefined || user.state !== 'active') return notThere;
  if (!unprovenAddresses(user).includes(address)) return { isThere: true, facts: null };
  const sharedBy = user.name === '' ? user.email : `${user.name} (${user.email})`;
  return { isThere: true, facts: { ownerId: id, about: null, sharedBy } };
}

/** The address of the account, confirmed or not. */
async function checkIdentity(ctx: Ctx, id: string, address: string): Promise<TargetCheck> {
  const user = await findUser(ctx.db.read, id);
  if (user === undefined || user.state !== 'active') return notThere;
  if (user.email !== address) return { isThere: true, facts: null };
  return { isThere: true, facts: { ownerId: id, about: null, sharedBy: displayName(user) } };
}

async function checkMessage(ctx: Ctx, id: string, address: string): Promise<TargetCheck> {
  const message = await findMessage(ctx.db.read, id);
  if (message === undefined || messageStateAt(message, ctx.clock.now()) !== 'active') return notThere;
  if (isInReview(message)) return notThere;
  const accessList = accessListOf(message.audience, await listRecipients(ctx.db.read, id));
  // Local users prove themselves by signing in, so a code opens only what the address alone may open.
  if (!mayBeProven(accessList, address)) return { isThere: true, facts: null };
  const facts = {
    ownerId: message.ownerId,
    about: message.isPrivate ? null : ((await findSubject(ctx.db.read, id)) ?? null),
    sharedBy: message.senderName === '' ? message.sender : message.senderName,
  };
  return { isThere: true, facts };
}

async function checkLink(ctx: Ctx, id: string): Promise<TargetCheck> {
  const link = await findFileLink(ctx.db.read, id);
  if (link === null || link.state !== 'active' || link.expiresAt <= ctx.clock.now()) return notThere;
  const owner = await findUser(ctx.db.read, link.ownerId);
  if (owner === undefined || owner.state !== 'active') return notThere;
  return { isThere: true, facts: { ownerId: link.ownerId, about: null, sharedBy: displayName(owner) } };
}

async function checkDrop(ctx: Ctx, name: string): Promise<TargetCheck> {
  const drop = await findFiledrop(ctx, name);
  if (drop === null) return notThere;
  return { isThere: true, facts: { ownerId: drop.owner.id, about: null, sharedBy: drop.label } };
}
