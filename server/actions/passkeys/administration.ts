// Lists and removes passkeys of recipients, for people who lost their device.
import { deletePasskey, findPasskey, listRecipientPasskeys } from '../../db/passkeys/passkeys.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Passkey } from '../../domain/passkeys.ts';
import { notFound } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { requireReason } from '../users/access.ts';
import { recordPasskey } from './assertions.ts';

const maxListed = 100;

interface RecipientPasskey extends Pick<Passkey, 'id' | 'name' | 'createdAt' | 'lastUsedAt'> {
  address: string;
}

/** By address; `isComplete` is false if there are more. */
export async function listPasskeysOfRecipients(
  ctx: Ctx,
  caller: UserCaller,
  typed: string,
): Promise<{ passkeys: RecipientPasskey[]; isComplete: boolean }> {
  requireRight(caller, 'system.read');
  const part = typed.trim().toLowerCase();
  const found = await listRecipientPasskeys(ctx.db.read, { part, limit: maxListed + 1 });
  const passkeys = found
    .slice(0, maxListed)
    .flatMap(({ holder, ...passkey }) => ('address' in holder ? [{ ...passkey, address: holder.address }] : []));
  return { passkeys, isComplete: found.length <= maxListed };
}

/** Ends the proofs that the passkey gave. */
export async function removePasskeyOfRecipient(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  input: { reason: string },
): Promise<void> {
  requireRight(caller, 'system.change');
  const reason = requireReason(input.reason);
  const passkey = await findPasskey(ctx.db.read, id);
  if (passkey === null || !('address' in passkey.holder)) throw notFound('passkey');
  await ctx.db.write(async (tx) => {
    if (!(await deletePasskey(tx, passkey))) throw notFound('passkey');
    await recordPasskey(ctx, tx, caller, { passkey, action: 'passkey.removed', reason });
  });
}
