// Creates, lists and deletes FileLinks, and decides what a visitor may see.
import {
  endFileLink,
  findFileLink,
  insertFileLink,
  listFileLinks,
  lockFileLink,
} from '../../db/file-links/file-links.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import { confirmedEmail } from '../../domain/addresses.ts';
import type { StoredFile } from '../../domain/attachments.ts';
import type { Identity } from '../../domain/audience.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { assertMayUseLinks, type FileLink, type LinkGate, type LinkProofs, linkGate } from '../../domain/file-links.ts';
import { notFound } from '../../domain/problem.ts';
import type { LinkSend } from '../../domain/sends.ts';
import { plainExtensionOf } from '../../lib/file-name.ts';
import { checkConfirmedEmail } from '../account/addresses.ts';
import { holdOwnFile, releaseFile } from '../attachments/holding.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { createOnce, type IdempotencyKey } from '../idempotency.ts';
import { acceptedBy } from '../passkeys/requirement.ts';
import { rememberSend } from '../policy/sends.ts';
import { openRules } from '../rules.ts';
import { nameTransfer } from '../transfers/references.ts';
import { hashLinkPassword, type LinkInput, type LinkSettings, resolveLink } from './settings.ts';

export interface NewFileLink extends LinkInput {
  attachmentId: string;
  once: IdempotencyKey | null;
}

/** Password and sign-in apply from the first instant. */
export async function createFileLink(ctx: Ctx, caller: UserCaller, input: NewFileLink): Promise<FileLink> {
  assertMayUseLinks(caller.policy);
  return createOnce(ctx, caller, input.once, async () => {
    const rules = openRules();
    await checkConfirmedEmail(caller, rules);
    const settings = rules.require(await resolveLink(ctx, caller, input, rules));
    const passwordHash = await hashLinkPassword(ctx, caller, input.password);
    return (tx) => create(ctx, tx, caller, { ...settings, passwordHash, input });
  });
}

async function create(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { input, ...settings }: LinkSettings & { passwordHash: string | null; input: NewFileLink },
): Promise<FileLink> {
  const id = ctx.random.id();
  const link = { ...settings, attachmentId: input.attachmentId };
  const file = await holdOwnFile(tx, caller, link.attachmentId, 'link');
  const created = await insertFileLink(tx, { id, ownerId: caller.userId, ...link, now: ctx.clock.now() }, file);
  await nameTransfer(ctx, tx, id);
  await record(ctx, tx, caller, {
    action: 'link.created',
    object: { kind: 'link', id },
    ownerId: caller.userId,
    facts: {
      attachment: link.attachmentId,
      expires: link.expiresOn,
      password: link.passwordHash !== null,
      sign_in: link.requireSignIn,
    },
  });
  await rememberSend(ctx, tx, caller, { id, facts: factsOf(input, file) });
  return created;
}

/** Stores the input without the group's defaults. */
function factsOf(input: NewFileLink, { fileName, sizeBytes }: StoredFile): LinkSend {
  return {
    kind: 'link',
    file: { extension: plainExtensionOf(fileName), sizeBytes },
    hasPassword: input.password !== undefined && input.password !== '',
    expiresOn: input.expiresOn,
    sendReceipt: input.sendReceipt,
    requireSignIn: input.requireSignIn,
  };
}

const pageSize = 200;

/** The caller's live links, newest first, page by page; `limit` null for all. */
export async function* listOwnFileLinks(
  ctx: Ctx,
  caller: UserCaller,
  limit: number | null,
): AsyncGenerator<FileLink[]> {
  assertMayUseLinks(caller.policy);
  let left = limit ?? Number.POSITIVE_INFINITY;
  let before: { createdAt: number; id: string } | null = null;
  while (left > 0) {
    const page = { ownerId: caller.userId, now: ctx.clock.now(), before, limit: Math.min(pageSize, left) };
    const links: FileLink[] = await listFileLinks(ctx.db.read, page);
    const last = links.at(-1);
    if (last === undefined) return;
    yield links;
    before = { createdAt: last.createdAt, id: last.id };
    left -= links.length;
  }
}

/** Unknown, foreign and deleted links get the same refusal. */
export function getOwnFileLink(ctx: Ctx, caller: UserCaller, id: string): Promise<FileLink> {
  return getOwnLink(ctx.db.read, caller, id);
}

export async function getOwnLink(db: Query, caller: UserCaller, id: string): Promise<FileLink> {
  const link = await findFileLink(db, id);
  if (link === null || link.ownerId !== caller.userId || link.state === 'deleted') throw notFound('link');
  return link;
}

/** Effective immediately. Destroys the file's key in the same transaction, unless something else holds the file. */
export async function deleteFileLink(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  assertMayUseLinks(caller.policy);
  await ctx.db.write(async (tx) => {
    // The lock protects a link that was handed over a moment ago.
    await lockFileLink(tx, id);
    await getOwnLink(tx, caller, id);
    if (!(await endLink(ctx, tx, caller, { id, to: 'deleted' }))) throw notFound('link');
    await record(ctx, tx, caller, { action: 'link.deleted', object: { kind: 'link', id }, ownerId: caller.userId });
  });
}

/** Releases the file. Deleting erases it unless in use, or `erases` is false; expiry leaves it for the grace period. */
export async function endLink(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { id, to, erases = to === 'deleted' }: { id: string; to: 'released' | 'deleted'; erases?: boolean },
): Promise<boolean> {
  const ended = await endFileLink(tx, id, to, ctx.clock.now());
  if (ended === null) return false;
  await releaseFile(ctx, tx, caller, { id: ended.attachmentId, wasHeld: ended.heldFile, erases });
  return true;
}

export interface LinkVisit {
  gate: LinkGate;
  link: FileLink;
  owner: { name: string; email: string };
}

/** Null for an unknown id. Changes nothing. */
/** What the visitor has proven, as far as the owner's group accepts it. */
export async function acceptedAtLink(ctx: Ctx, id: string, identity: Identity): Promise<Identity> {
  if ((identity.codeOnly ?? []).length === 0) return identity;
  return acceptedBy(ctx.db.read, (await findFileLink(ctx.db.read, id))?.ownerId ?? '', identity);
}

export async function visitFileLink(ctx: Ctx, id: string, proofs: LinkProofs): Promise<LinkVisit | null> {
  const link = await findFileLink(ctx.db.read, id);
  if (link === null) return null;
  const owner = await findUser(ctx.db.read, link.ownerId);
  const gate = linkGate({ ...link, ownerState: owner?.state ?? 'deleted' }, proofs, ctx.clock.now());
  return {
    gate,
    link,
    owner: { name: owner?.name ?? '', email: owner === undefined ? '' : (confirmedEmail(owner) ?? '') },
  };
}
