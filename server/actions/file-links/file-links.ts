// Making, listing, changing and deleting FileLinks, and what a visitor may see of one (state machine SM5).
import {
  endFileLink,
  type FileLinkRow,
  findFileLink,
  insertFileLink,
  listFileLinks,
  updateFileLink,
} from '../../db/file-links.ts';
import type { FileLinksTable, Query, Tx } from '../../db/schema.ts';
import { findUser } from '../../db/users.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { settleExpiry } from '../../domain/expiry.ts';
import {
  demandMayUseLinks,
  type FileLink,
  type LinkGate,
  type LinkProofs,
  linkGate,
  settingLocked,
  settleSwitch,
} from '../../domain/file-links.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import { holdAgain, holdOwnFile, letGo } from '../attachments/holding.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { createOnce, type IdempotencyKey } from '../idempotency.ts';

/** How the switches of a link are told to people. */
const linkSwitches = {
  requireSignIn: 'whether people confirm their address to open a link',
  sendReceipt: 'whether download receipts are sent',
};

export interface NewFileLink {
  attachmentId: string;
  expiresOn: string | undefined;
  password: string | undefined;
  sendReceipt: boolean | undefined;
  requireSignIn: boolean | undefined;
  once: IdempotencyKey | null;
}

/** A link to one of the caller's files, with its gates closed from its first instant (invariant I22). */
export async function createFileLink(ctx: Ctx, caller: UserCaller, input: NewFileLink): Promise<FileLink> {
  demandMayUseLinks(caller.policy);
  return createOnce(ctx, caller, input.once, async () => {
    const settings = await settleNewLink(ctx, caller, input);
    return (tx) => insertNewLink(ctx, tx, caller, { attachment_id: input.attachmentId, ...settings });
  });
}

type LinkSettings = Pick<
  FileLinksTable,
  'expires_on' | 'expires_at' | 'require_sign_in' | 'send_receipt' | 'password_hash'
>;

/** What applies after the group's rules, or a refusal. */
async function settleNewLink(ctx: Ctx, caller: UserCaller, input: NewFileLink): Promise<LinkSettings> {
  const { policy } = caller;
  const expiry = settleLinkExpiry(ctx, caller, input.expiresOn);
  const requireSignIn = settleSwitch({
    requested: input.requireSignIn,
    byDefault: policy.filelink_default_require_authentication,
    mayChange: policy.filelink_can_change_require_authentication,
    field: 'require_authentication',
    what: linkSwitches.requireSignIn,
  });
  const sendReceipt = settleSwitch({
    requested: input.sendReceipt,
    byDefault: policy.filelink_default_download_confirmation,
    mayChange: policy.filelink_can_change_download_confirmation,
    field: 'download_receipt',
    what: linkSwitches.sendReceipt,
  });
  return {
    expires_on: expiry.on,
    expires_at: expiry.at,
    require_sign_in: requireSignIn ? 1 : 0,
    send_receipt: sendReceipt ? 1 : 0,
    password_hash: await hashLinkPassword(ctx, caller, input.password),
  };
}

async function insertNewLink(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  settings: LinkSettings & { attachment_id: string },
): Promise<FileLink> {
  const now = ctx.clock.now();
  const row: FileLinksTable = {
    id: ctx.random.id(),
    owner_id: caller.userId,
    ...settings,
    state: 'active',
    created_at: now,
    updated_at: now,
  };
  await holdOwnFile(tx, caller, row.attachment_id, 'link');
  await insertFileLink(tx, row);
  await record(ctx, tx, caller, {
    action: 'link.created',
    object: { kind: 'link', id: row.id },
    ownerId: caller.userId,
    facts: {
      attachment: row.attachment_id,
      expires: row.expires_on,
      password: row.password_hash !== null,
      sign_in: row.require_sign_in === 1,
    },
  });
  return describeLink(ctx, (await findFileLink(tx, row.id))!);
}

async function hashLinkPassword(ctx: Ctx, caller: UserCaller, password: string | undefined): Promise<string | null> {
  if (password === undefined || password === '') return null;
  if (!caller.policy.filelink_can_set_password) {
    throw invalid(
      'link.setting_locked',
      "Your group can't set passwords on links. Ask your administrator if you need to.",
      'password',
    );
  }
  return ctx.keys.passwords.hashPassword(password);
}

function settleLinkExpiry(ctx: Ctx, caller: UserCaller, requested: string | undefined) {
  return settleExpiry({
    requested,
    defaultDays: caller.policy.filelink_default_expiration,
    maxDays: caller.policy.filelink_max_expiration,
    mayChange: caller.policy.filelink_can_change_expiration,
    now: ctx.clock.now(),
    timeZone: ctx.settings.surroundings.timeZone,
    noun: 'link',
  });
}

const pageSize = 200;

/** The caller's live links, newest first, at most `limit` of them (null: all), a page at a time. */
export async function* listOwnFileLinks(
  ctx: Ctx,
  caller: UserCaller,
  limit: number | null,
): AsyncGenerator<FileLink[]> {
  demandMayUseLinks(caller.policy);
  let left = limit ?? Number.POSITIVE_INFINITY;
  let before: { createdAt: number; id: string } | null = null;
  while (left > 0) {
    const rows: FileLinkRow[] = await listFileLinks(
      ctx.db.read,
      caller.userId,
      ctx.clock.now(),
      before,
      Math.min(pageSize, left),
    );
    if (rows.length === 0) return;
    yield rows.map((row) => describeLink(ctx, row));
    const last = rows.at(-1)!;
    before = { createdAt: last.created_at, id: last.id };
    left -= rows.length;
  }
}

/** One of the caller's links; unknown, foreign and deleted ones are the same. */
export async function getOwnFileLink(ctx: Ctx, caller: UserCaller, id: string): Promise<FileLink> {
  return describeLink(ctx, await findOwn(ctx.db.read, caller, id));
}

async function findOwn(db: Query, caller: UserCaller, id: string): Promise<FileLinkRow> {
  const row = await findFileLink(db, id);
  if (row === undefined || row.owner_id !== caller.userId || row.state === 'deleted') throw notFound('link');
  return row;
}

/** Ends a link at once. With the last holder gone, the file's key is destroyed in the same transaction. */
export async function deleteFileLink(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  demandMayUseLinks(caller.policy);
  await ctx.db.write(async (tx) => {
    await findOwn(tx, caller, id);
    if (!(await endLink(ctx, tx, caller, id, 'deleted'))) throw notFound('link');
    await record(ctx, tx, caller, { action: 'link.deleted', object: { kind: 'link', id }, ownerId: caller.userId });
  });
}

/**
 * Lets go of the file when a link ends. Deleting, also of an expired link, erases it at once unless something else
 * holds it; expiry leaves it to the grace time.
 */
export async function endLink(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  id: string,
  to: 'released' | 'deleted',
): Promise<boolean> {
  const ended = await endFileLink(tx, id, to, ctx.clock.now());
  if (ended === null) return false;
  await letGo(ctx, tx, caller, { id: ended.attachmentId, wasHeld: ended.heldFile, erases: to === 'deleted' });
  return true;
}

export type LinkChange =
  | { requireSignIn: boolean }
  | { sendReceipt: boolean }
  | { expiresOn: string }
  | { passwordHash: string | null };

/** Sets, changes or removes (null) the password; passes given out for the old one are void with it. */
export async function changeLinkPassword(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  password: string | null,
): Promise<void> {
  await findOwn(ctx.db.read, caller, id);
  if (password === '') throw invalid('link.empty_password', 'Type a password, or remove the one it has.', 'password');
  await changeFileLink(ctx, caller, id, {
    passwordHash: await hashLinkPassword(ctx, caller, password ?? undefined),
  });
}

const mostTries = 3;

/** One of the settings an owner can change: the three of the specification, or the password. */
export async function changeFileLink(ctx: Ctx, caller: UserCaller, id: string, change: LinkChange): Promise<FileLink> {
  demandMayUseLinks(caller.policy);
  return ctx.db.write(async (tx) => {
    const changes = await applyChange(ctx, tx, caller, id, change);
    await record(ctx, tx, caller, {
      action: 'link.changed',
      object: { kind: 'link', id },
      ownerId: caller.userId,
      facts: factsOf(changes),
    });
    return describeLink(ctx, (await findFileLink(tx, id))!);
  });
}

/** A hash has no place in an event; that there is a password has. */
function factsOf({ password_hash: passwordHash, ...facts }: Partial<FileLinksTable>): Record<string, unknown> {
  return passwordHash === undefined ? facts : { ...facts, password: passwordHash !== null };
}

/** Expiry, or another change, may come in between; then the link is looked at again. */
async function applyChange(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  id: string,
  change: LinkChange,
): Promise<Partial<FileLinksTable>> {
  for (let tries = 0; tries < mostTries; tries++) {
    const link = await findOwn(tx, caller, id);
    const changes = settleChange(ctx, caller, link, change);
    if (!(await updateFileLink(tx, id, link.state, { ...changes, updated_at: ctx.clock.now() }))) continue;
    // Whoever brought the row back also takes hold of the file, once.
    if (link.state === 'released') await revive(tx, caller, link);
    return changes;
  }
  throw new Problem('unavailable', 'link.busy', 'This link is being changed right now. Try again.', {
    retryAfterSeconds: 1,
  });
}

function settleChange(ctx: Ctx, caller: UserCaller, link: FileLinkRow, change: LinkChange): Partial<FileLinksTable> {
  const { policy } = caller;
  if ('expiresOn' in change) {
    if (!policy.filelink_can_change_expiration) {
      throw invalid(
        'link.expiry_locked',
        "Your group sets the expiry date of links; it can't be changed. Ask your administrator.",
        'expires_at',
      );
    }
    if (change.expiresOn === '')
      throw invalid('link.bad_date', 'The expiry date must be a real date written as YYYY-MM-DD.', 'expires_at');
    const expiry = settleLinkExpiry(ctx, caller, change.expiresOn);
    return { expires_on: expiry.on, expires_at: expiry.at, state: 'active' };
  }
  // Specification: "422 also when the user may not change this setting", whatever the value is now.
  if ('requireSignIn' in change && !policy.filelink_can_change_require_authentication)
    throw settingLocked('require_authentication', linkSwitches.requireSignIn);
  if ('sendReceipt' in change && !policy.filelink_can_change_download_confirmation)
    throw settingLocked('send_download_confirmation', linkSwitches.sendReceipt);
  if (link.state === 'released' || link.expires_at <= ctx.clock.now())
    throw invalid('link.expired', 'This link has expired. Give it a new expiry date first.');
  if ('passwordHash' in change) return { password_hash: change.passwordHash };
  return 'requireSignIn' in change
    ? { require_sign_in: change.requireSignIn ? 1 : 0 }
    : { send_receipt: change.sendReceipt ? 1 : 0 };
}

/** An expired link whose file is still there may live again (security D22). */
async function revive(tx: Tx, caller: UserCaller, link: FileLinkRow): Promise<void> {
  if (!(await holdAgain(tx, caller.userId, link.attachment_id))) {
    throw invalid('link.file_gone', 'The file of this link has been deleted. Upload it again and make a new link.');
  }
}

export interface LinkVisit {
  gate: LinkGate;
  link: FileLink;
  owner: { name: string; email: string };
}

/** What a visitor with these proofs meets; null when there never was such a link. Changes nothing. */
export async function visitFileLink(ctx: Ctx, id: string, proofs: LinkProofs): Promise<LinkVisit | null> {
  const row = await findFileLink(ctx.db.read, id);
  if (row === undefined) return null;
  const owner = await findUser(ctx.db.read, row.owner_id);
  const gate = linkGate(
    {
      state: row.state,
      fileState: row.file_state,
      ownerState: owner?.state ?? 'deleted',
      expiresAt: row.expires_at,
      hasPassword: row.password_hash !== null,
      requireSignIn: row.require_sign_in === 1,
    },
    proofs,
    ctx.clock.now(),
  );
  return { gate, link: describeLink(ctx, row), owner: { name: owner?.name ?? '', email: owner?.email ?? '' } };
}

export function describeLink(ctx: Ctx, row: FileLinkRow): FileLink {
  return {
    id: row.id,
    ownerId: row.owner_id,
    attachmentId: row.attachment_id,
    fileName: ctx.keys.openText('name', row.name_sealed, row.attachment_id),
    sizeBytes: row.size_bytes,
    contentType: row.content_type,
    sha256: row.sha256,
    expiresOn: row.expires_on,
    expiresAt: row.expires_at,
    hasPassword: row.password_hash !== null,
    sendReceipt: row.send_receipt === 1,
    requireSignIn: row.require_sign_in === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
