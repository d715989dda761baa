// Making, listing, changing and deleting FileLinks, and what a visitor may see of one (state machine SM5).
import { findAttachment, holdAttachment, releaseAttachment } from '../db/attachments.ts';
import {
  endFileLink,
  type FileLinkRow,
  findFileLink,
  insertFileLink,
  listFileLinks,
  updateFileLink,
} from '../db/file-links.ts';
import type { FileLinksTable, Tx } from '../db/schema.ts';
import { findUser } from '../db/users.ts';
import { refuseExtension } from '../domain/attachments.ts';
import type { Caller, UserCaller } from '../domain/caller.ts';
import { settleExpiry } from '../domain/expiry.ts';
import {
  demandMayUseLinks,
  type FileLink,
  type LinkGate,
  type LinkProofs,
  linkGate,
  settleSwitch,
} from '../domain/file-links.ts';
import { invalid, notFound } from '../domain/problem.ts';
import { eraseFile } from './attachments.ts';
import type { Ctx } from './context.ts';
import { record } from './events.ts';
import { createOnce, type IdempotencyKey } from './idempotency.ts';

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
  const { policy } = caller;
  demandMayUseLinks(policy);
  const now = ctx.clock.now();
  const expiry = settleLinkExpiry(ctx, caller, input.expiresOn);
  const requireSignIn = settleSwitch({
    requested: input.requireSignIn,
    byDefault: policy.filelink_default_require_authentication,
    mayChange: policy.filelink_can_change_require_authentication,
    field: 'require_authentication',
    what: 'whether people confirm their address to open a link',
  });
  const sendReceipt = settleSwitch({
    requested: input.sendReceipt,
    byDefault: policy.filelink_default_download_confirmation,
    mayChange: policy.filelink_can_change_download_confirmation,
    field: 'download_receipt',
    what: 'whether download receipts are sent',
  });
  const passwordHash = await hashLinkPassword(ctx, caller, input.password);
  return createOnce(ctx, caller, input.once, async (tx) => {
    const row: FileLinksTable = {
      id: ctx.random.id(),
      owner_id: caller.userId,
      attachment_id: input.attachmentId,
      expires_on: expiry.on,
      expires_at: expiry.at,
      password_hash: passwordHash,
      send_receipt: sendReceipt ? 1 : 0,
      require_sign_in: requireSignIn ? 1 : 0,
      state: 'active',
      created_at: now,
      updated_at: now,
    };
    await holdFile(ctx, tx, caller, input.attachmentId);
    await insertFileLink(tx, row);
    await record(ctx, tx, caller, {
      action: 'link.created',
      object: { kind: 'link', id: row.id },
      ownerId: caller.userId,
      facts: {
        attachment: row.attachment_id,
        expires: row.expires_on,
        password: passwordHash !== null,
        sign_in: requireSignIn,
      },
    });
    return describeLink(ctx, (await findFileLink(tx, row.id))!);
  });
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

/** Takes hold of the file, or says why not. Unknown and foreign ids are the same to the caller. */
async function holdFile(ctx: Ctx, tx: Tx, caller: UserCaller, attachmentId: string): Promise<void> {
  const file = await findAttachment(tx, attachmentId);
  const isOwn = file !== undefined && file.owner_id === caller.userId && file.source === '';
  if (!isOwn || file.state === 'erased') {
    throw invalid(
      'link.attachment_unknown',
      'There is no such uploaded file. Upload it first, then use its id.',
      'attachment',
    );
  }
  const refusal = refuseExtension(caller.policy, ctx.keys.openText('name', file.name_sealed, file.id));
  if (refusal !== null) throw refusal;
  if (!(await holdAttachment(tx, attachmentId, caller.userId))) {
    throw invalid(
      'link.attachment_damaged',
      'This file is damaged and can not be shared. Upload it again.',
      'attachment',
    );
  }
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
  return describeLink(ctx, await findOwn(ctx, caller, id));
}

async function findOwn(ctx: Ctx, caller: UserCaller, id: string): Promise<FileLinkRow> {
  const row = await findFileLink(ctx.db.read, id);
  if (row === undefined || row.owner_id !== caller.userId || row.state === 'deleted') throw notFound('link');
  return row;
}

/** Ends a link at once. With the last holder gone, the file's key is destroyed in the same transaction. */
export async function deleteFileLink(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  demandMayUseLinks(caller.policy);
  await findOwn(ctx, caller, id);
  await ctx.db.write(async (tx) => {
    if (!(await endLink(ctx, tx, caller, id, 'deleted'))) throw notFound('link');
    await record(ctx, tx, caller, { action: 'link.deleted', object: { kind: 'link', id }, ownerId: caller.userId });
  });
}

/** Lets go of the file when a link ends. Deleting erases at once; expiry leaves the file to the grace time. */
export async function endLink(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  id: string,
  to: 'released' | 'deleted',
): Promise<boolean> {
  const ended = await endFileLink(tx, id, to, ctx.clock.now());
  if (ended === null) return false;
  if (!ended.heldFile) return true;
  const holders = await releaseAttachment(
    tx,
    ended.attachmentId,
    ctx.clock.uptime() + ctx.settings.surroundings.deleteGraceMs,
  );
  if (holders === 0 && to === 'deleted') await eraseFile(ctx, tx, caller, ended.attachmentId);
  return true;
}

export type LinkChange = { requireSignIn: boolean } | { sendReceipt: boolean } | { expiresOn: string };

/** One of the three settings the specification lets an owner change. */
export async function changeFileLink(ctx: Ctx, caller: UserCaller, id: string, change: LinkChange): Promise<FileLink> {
  demandMayUseLinks(caller.policy);
  const link = await findOwn(ctx, caller, id);
  const changes = settleChange(ctx, caller, link, change);
  return ctx.db.write(async (tx) => {
    if (link.state === 'released') await revive(tx, caller, link);
    if (!(await updateFileLink(tx, id, { ...changes, updated_at: ctx.clock.now() }))) throw notFound('link');
    await record(ctx, tx, caller, {
      action: 'link.changed',
      object: { kind: 'link', id },
      ownerId: caller.userId,
      facts: { ...changes },
    });
    return describeLink(ctx, (await findFileLink(tx, id))!);
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
  if (link.state === 'released')
    throw invalid('link.expired', 'This link has expired. Give it a new expiry date first.');
  if ('requireSignIn' in change) {
    const requireSignIn = settleSwitch({
      requested: change.requireSignIn,
      byDefault: link.require_sign_in === 1,
      mayChange: policy.filelink_can_change_require_authentication,
      field: 'require_authentication',
      what: 'whether people confirm their address to open a link',
    });
    return { require_sign_in: requireSignIn ? 1 : 0 };
  }
  const sendReceipt = settleSwitch({
    requested: change.sendReceipt,
    byDefault: link.send_receipt === 1,
    mayChange: policy.filelink_can_change_download_confirmation,
    field: 'send_download_confirmation',
    what: 'whether download receipts are sent',
  });
  return { send_receipt: sendReceipt ? 1 : 0 };
}

/** An expired link whose file is still there may live again (security D22). */
async function revive(tx: Tx, caller: UserCaller, link: FileLinkRow): Promise<void> {
  if (!(await holdAttachment(tx, link.attachment_id, caller.userId))) {
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

function describeLink(ctx: Ctx, row: FileLinkRow): FileLink {
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
