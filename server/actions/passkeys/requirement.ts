// Whether the owner of a transfer requires passkeys of recipients (docs/adr/0135).
import { findEnrolledAddresses } from '../../db/passkeys/passkeys.ts';
import type { Query } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import { acceptedIdentity, type Identity } from '../../domain/audience.ts';

/** Without the addresses for which the owner's group requires a passkey. */
export async function acceptedBy(db: Query, ownerId: string, identity: Identity): Promise<Identity> {
  if ((identity.codeOnly ?? []).length === 0) return identity;
  return acceptedIdentity(identity, (await findUser(db, ownerId))?.policy);
}

/** A mailed code does not prove this address to the owner. */
export async function isPasskeyRequired(db: Query, ownerId: string, address: string): Promise<boolean> {
  const isEnrolled = (await findEnrolledAddresses(db, [address])).has(address);
  const owner = await findUser(db, ownerId);
  return isEnrolled && owner?.policy.recipient_passkey === 'required_once_enrolled';
}
