// Changes an owner makes to a link: expiry date, switches, password.
import { findFileLink, type LinkChanges, updateFileLink } from '../../db/file-links/file-links.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { EventFacts } from '../../domain/event-facts.ts';
import { assertMayUseLinks, type FileLink } from '../../domain/file-links.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { settingLocked } from '../../domain/switches.ts';
import { holdAgain } from '../attachments/holding.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { getOwnLink } from './file-links.ts';
import { hashLinkPassword, linkSwitches, resolveLinkExpiry } from './settings.ts';

export type LinkChange =
  | { requireSignIn: boolean }
  | { sendReceipt: boolean }
  | { expiresOn: string }
  | { passwordHash: string | null };

/** Null removes the password. A change invalidates passes for the old one. */
export async function changeLinkPassword(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  password: string | null,
): Promise<void> {
  await getOwnLink(ctx.db.read, caller, id);
  if (password === '') throw invalid('link.empty_password', 'Type a password, or remove the one it has.', 'password');
  await changeFileLink(ctx, caller, id, {
    passwordHash: await hashLinkPassword(ctx, caller, password ?? undefined),
  });
}

export async function changeFileLink(ctx: Ctx, caller: UserCaller, id: string, change: LinkChange): Promise<FileLink> {
  assertMayUseLinks(caller.policy);
  return ctx.db.write(async (tx) => {
    const changes = await applyChange(ctx, tx, caller, { id, change });
    await record(ctx, tx, caller, {
      action: 'link.changed',
      object: { kind: 'link', id },
      ownerId: caller.userId,
      facts: factsOf(changes),
    });
    return (await findFileLink(tx, id))!;
  });
}

/** Events record that a password is set, never its hash. */
function factsOf(changes: LinkChanges): EventFacts['link.changed'] {
  if ('expiresOn' in changes) return { expires: changes.expiresOn };
  if ('passwordHash' in changes) return { password: changes.passwordHash !== null };
  return 'sendReceipt' in changes ? { receipts: changes.sendReceipt } : { sign_in: changes.requireSignIn };
}

const maxAttempts = 3;

/** Retries if the link expired or changed concurrently. */
async function applyChange(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { id, change }: { id: string; change: LinkChange },
): Promise<LinkChanges> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const link = await getOwnLink(tx, caller, id);
    const changes = resolveChange(ctx, caller, link, change);
    if (!(await updateFileLink(tx, link, changes, ctx.clock.now()))) continue;
    // Bind the file again for a renewed link.
    if (link.state === 'released') await bindFileAgain(tx, link);
    return changes;
  }
  throw new Problem('unavailable', 'link.busy', 'This link is being changed right now. Try again.', {
    retryAfterSeconds: 1,
  });
}

function resolveChange(ctx: Ctx, caller: UserCaller, link: FileLink, change: LinkChange): LinkChanges {
  const { policy } = caller;
  if ('expiresOn' in change) {
    if (!policy.filelink_can_change_expiration) {
      throw invalid(
        'link.expiry_locked',
        'Your group sets the expiry date of links; it can’t be changed. Ask your administrator.',
        'expires_at',
      );
    }
    if (change.expiresOn === '')
      throw invalid('link.bad_date', 'The expiry date must be a real date written as YYYY-MM-DD.', 'expires_at');
    const expiry = resolveLinkExpiry(ctx, caller, change.expiresOn);
    return { expiresOn: expiry.on, expiresAt: expiry.at };
  }
  // Specification: "422 also when the user may not change this setting", whatever the value is now.
  if ('requireSignIn' in change && !policy.filelink_can_change_require_authentication)
    throw settingLocked({ ...linkSwitches.requireSignIn, field: 'require_authentication' });
  if ('sendReceipt' in change && !policy.filelink_can_change_download_confirmation)
    throw settingLocked({ ...linkSwitches.sendReceipt, field: 'send_download_confirmation' });
  if (link.state === 'released' || link.expiresAt <= ctx.clock.now())
    throw invalid('link.expired', 'This link has expired. Give it a new expiry date first.');
  return change;
}

/** Renews an expired link if its file still exists. */
export async function bindFileAgain(tx: Tx, link: FileLink): Promise<void> {
  if (!(await holdAgain(tx, link.attachmentId))) {
    throw invalid('link.file_gone', 'The file of this link has been deleted. Upload it again and create a new link.');
  }
}
