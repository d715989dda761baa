// Names and addresses of accounts that a SCIM client changes.
import { deleteOneTimeLinksOf } from '../../db/file-links/one-time-links.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findUserByEmail, listHoldersOf, updateUser } from '../../db/users/users.ts';
import { confirmedAddresses } from '../../domain/addresses.ts';
import type { Changes } from '../../domain/event-facts.ts';
import { isPrivileged } from '../../domain/roles.ts';
import type { User } from '../../domain/users.ts';
import { ScimFault } from '../../lib/scim/fault.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { addressFacts } from '../users/addresses.ts';
import { findScimService, type ScimCaller } from './scim-identity.ts';

export async function changeName(
  ctx: Ctx,
  tx: Tx,
  caller: ScimCaller,
  { user, name }: { user: User; name: string },
): Promise<void> {
  if (name === '' || name === user.name) return;
  await updateUser(tx, user.id, { name }, ctx.clock.now());
  const changes = { name: { from: user.name, to: name } };
  await recordChange(ctx, tx, caller, { user, changed: 'name', changes });
}

/** A client must not lead the mails of administrators elsewhere, nor give an address to two accounts. */
export async function changeAddress(
  ctx: Ctx,
  tx: Tx,
  caller: ScimCaller,
  { user, address }: { user: User; address: string },
): Promise<void> {
  if (address === user.email) return;
  if (isPrivileged(user))
    throw new ScimFault(409, 'The address of an administrator can only be changed in the console.', {
      type: 'mutability',
    });
  const others = (await listHoldersOf(tx, address)).filter(({ id }) => id !== user.id);
  const isHeld = others.some((holder) => confirmedAddresses(holder).includes(address));
  if (isHeld || (await findUserByEmail(tx, address)) !== undefined)
    throw new ScimFault(409, 'The e-mail address belongs to another account.', { type: 'uniqueness' });
  const { service } = await findScimService(ctx);
  const isVouched = service?.addressesVerified !== 'false';
  const kept = user.provenAddresses.filter((one) => one !== user.email);
  const after = {
    ...user,
    email: address,
    provenAddresses: isVouched ? [...new Set([...kept, address])] : kept,
    defaultSenderAlias: user.defaultSenderAlias === user.email ? '' : user.defaultSenderAlias,
  };
  const { email, provenAddresses, defaultSenderAlias } = after;
  await updateUser(tx, user.id, { email, provenAddresses, defaultSenderAlias }, ctx.clock.now());
  // A mailed link to choose a password would confirm the new address.
  await deleteOneTimeLinksOf(tx, user.id);
  const facts = addressFacts(user, after, 'scim');
  await recordChange(ctx, tx, caller, { user, changed: 'email', changes: {}, facts });
  await queueSecurityNotice(ctx, tx, caller, { event: 'address-changed', userId: user.id, to: user.email });
}

async function recordChange(
  ctx: Ctx,
  tx: Tx,
  caller: ScimCaller,
  {
    user,
    changed,
    changes,
    facts = {},
  }: { user: User; changed: string; changes: Changes; facts?: ReturnType<typeof addressFacts> },
): Promise<void> {
  await record(ctx, tx, caller, {
    action: 'user.changed',
    object: { kind: 'user', id: user.id },
    ownerId: user.id,
    facts: { changed: [changed], group: user.groupId, changes, ...facts },
  });
}
